"""Completion for bash, zsh and fish."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.processes import environment
from tests.support.waiting import limit

from steward_client.cli import profiles


def steward(instruction: str, home: Path, **variables: str) -> str:
    """As the shell asks it: the program's name is `steward`."""
    code = "import sys; sys.argv[0] = 'steward'; from steward.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment(), "_STEWARD_COMPLETE": instruction, "XDG_CONFIG_HOME": str(home), **variables},
        capture_output=True,
        text=True,
        timeout=limit(60),
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(tmp_path: Path, shell: str) -> None:
    assert "_STEWARD_COMPLETE" in steward(f"{shell}_source", tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_can_be_read_by_its_shell(tmp_path: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    script = tmp_path / "script"
    script.write_text(steward(f"{shell}_source", tmp_path), encoding="utf-8")
    subprocess.run([program, "-n", str(script)], check=True, timeout=limit(60))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("steward work", {"worker", "work-orders"}),
        ("steward work-orders c", {"create", "complete", "cancel", "comment"}),
        ("steward work-orders list --status O", {"Open", "OnHold"}),
        ("steward whoami --profile h", {"house", "harbour"}),
        ("steward export w", {"webhooks", "work-orders"}),
    ],
)
def test_what_can_come_next(tmp_path: Path, typed: str, expected: set[str]) -> None:
    access = profiles.Profile("https://steward.example.com", "org_1", "svc_live_1")
    known = profiles.Profiles("house", {"house": access, "harbour": access, "other": access})
    profiles.save(tmp_path / "steward" / "config.toml", known)
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    answers = steward("bash_complete", tmp_path, **words).split()
    assert {answer.partition(",")[2] for answer in answers} == expected


def test_completing_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    """Nobody sees there that others could read the keys; the next command closes the file, and says so."""
    file = tmp_path / "steward" / "config.toml"
    profiles.save(file, profiles.Profiles("house", {"house": profiles.Profile("https://a", "org_1", "svc")}))
    file.chmod(0o644)
    words = {"COMP_WORDS": "steward whoami --profile h", "COMP_CWORD": "3"}
    assert "house" in steward("bash_complete", tmp_path, **words)
    assert file.stat().st_mode & 0o777 == 0o644
