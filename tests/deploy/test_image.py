"""The image: content with its linter, without root, and of nothing but what is copied into it on purpose."""

import fnmatch
import json
import shlex
import subprocess
import sysconfig
from pathlib import Path

from tests.support.deploy_files import DOCKERFILE, ROOT, image, image_environment, instructions

from steward.settings import SETTINGS, from_environment

HADOLINT = Path(sysconfig.get_path("scripts"), "hadolint")


def test_hadolint_finds_nothing() -> None:
    ran = subprocess.run(
        [HADOLINT, "--failure-threshold", "style", DOCKERFILE], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout


def test_the_image_runs_as_an_unprivileged_account() -> None:
    [user] = image()["USER"]
    assert user == "10001:10001"
    [account] = [line for line in image()["RUN"] if "useradd" in line]
    assert "--uid 10001" in account


def test_signals_reach_the_service_itself() -> None:
    """A shell in between would keep them to itself."""
    for name in ("ENTRYPOINT", "CMD"):
        [line] = image()[name]
        assert isinstance(json.loads(line), list)
    assert image()["STOPSIGNAL"] == ["SIGTERM"]


def test_variables_of_the_unit_are_settings() -> None:
    ours = {name: value for name, value in image_environment().items() if name.startswith("STEWARD_")}
    settings = from_environment(ours)
    assert settings.host == "0.0.0.0", "a container is reached over its network"
    assert str(settings.data_dir) == "/data"


def test_no_secret_is_built_in() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    secret = {one.variable for one in SETTINGS if one.name in {"secret_key", "database_url", "smtp_url"}}
    assert [name for name in secret if name in text] == []
    assert "ARG" not in {name for name, _ in instructions(text)}


def test_bases_are_pinned() -> None:
    bases = [
        rest.split()[0]
        for name, rest in instructions(DOCKERFILE.read_text(encoding="utf-8"))
        if name == "FROM"
    ]
    assert bases
    for base in bases:
        version = base.partition(":")[2].split("-")[0]
        assert version.count(".") == 2, f"{base} names no patch release"


def _is_let_in(path: str) -> bool:
    """By the rules of .dockerignore: the last line that fits counts, for a folder also what is in it."""
    let_in = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!").removeprefix("**/")
        parts = Path(path).parts
        prefixes = ["/".join(parts[: number + 1]) for number in range(len(parts))]
        names = parts if line.startswith("**/") else prefixes
        if any(fnmatch.fnmatch(name, pattern) for name in names):
            let_in = line.startswith("!")
    return let_in


def test_copied_files_exist_and_are_not_ignored() -> None:
    copied: set[str] = set()
    for name, rest in instructions(DOCKERFILE.read_text(encoding="utf-8")):
        words = shlex.split(rest)
        if name == "COPY" and not words[0].startswith("--from"):
            copied |= set(words[:-1])
    assert {path for path in copied if not (ROOT / path).exists()} == set()
    assert {path for path in copied if not _is_let_in(path)} == set()


def test_uncopied_files_are_ignored_by_the_image() -> None:
    for path in (".git/config", ".venv/bin/python", "data/secret.key", "deploy/compose/secrets/secret.key"):
        assert not _is_let_in(path), path
    assert not _is_let_in("src/steward/web/static/vendor/htmx.js"), "it is made anew, from the lock file"
