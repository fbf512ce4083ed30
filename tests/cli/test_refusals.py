"""A mistake of the operator is one line, and nothing is made or changed."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.support.databases import fetch
from tests.support.processes import environment
from tests.support.waiting import limit

from steward.cli import group

_ADMIN = ("--admin-email", "ada@example.com", "--admin-password", "correct horse")
# prctl(2) and capabilities(7).
_DROP_FROM_BOUNDING_SET, _DAC_OVERRIDE, _DAC_READ_SEARCH = 24, 1, 2


def refusal(*arguments: str, code: int = 1) -> str:
    """What a command says before it ends."""
    ran = CliRunner(env={name: None for name in os.environ if name.startswith("STEWARD_")}).invoke(
        group, arguments, catch_exceptions=False
    )
    assert (ran.exit_code, ran.stdout, ran.stderr.count("\n")) == (code, "", 1), ran.output
    return ran.stderr.removeprefix("steward: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("up", "--port", "65536"), "--port must be a whole number from 0 to 65535"),
        (("api", "--port", "-1"), "--port must be a whole number from 0 to 65535"),
        (("api", "--host", ""), "--host must not be empty"),
        (("migrate", "--database-url", "mysql://h/d"), "--database-url must be a URL"),
        (("up", "--database-url", "postgresql://h:port/d"), "--database-url must have a port"),
        (("migrate", "--database-url", "postgresql://h,/d"), "the database URL can't be used"),
        (("org", "list", "--database-url", "postgresql://h/d?sslmode=x"), "the database URL can't be used: `sslmode`"),
        (("org", "create", "A", *_ADMIN, "--data-dir", ""), "--data-dir must not be empty"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_unusable_values_are_named(arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [("org", "list"), ("user", "set-password", "org_1", "a@b", "--password", "12345678")],
    ids=" ".join,
)
def test_an_unreachable_database_has_its_own_exit_code(arguments: tuple[str, ...]) -> None:
    said = refusal(*arguments, "--database-url", "postgresql://127.0.0.1:1/x", code=os.EX_TEMPFAIL)
    assert "the database can't be reached" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ("org", "list"),
        ("org", "set-plan", "org_1", "Starter"),
        ("user", "set-password", "org_1", "a@b", "--password", "12345678"),
    ],
    ids=" ".join,
)
def test_inspecting_creates_no_database(arguments: tuple[str, ...], tmp_path: Path, empty_url: str) -> None:
    folder = tmp_path / "data"
    assert f"there is no database in {folder}" in refusal(*arguments, "--data-dir", str(folder))
    assert not folder.exists()
    said = refusal(*arguments, "--database-url", empty_url)
    assert said == "the database is not migrated to this version (it is empty): run `steward migrate`\n"
    assert fetch(empty_url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == []


def _ended(*arguments: str, without_power: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steward", *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=limit(60),
        check=False,
        preexec_fn=_give_up_power if without_power else None,
    )


def _give_up_power() -> None:
    """Root may enter every folder, unless it has given that up."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
            libc.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


@pytest.mark.parametrize("command", ["api", "worker"])
def test_a_process_over_a_database_that_lacks_migrations_ends(command: str, empty_url: str) -> None:
    """Also over one that an older version made: `api` and `worker` never change a schema."""
    fetch(empty_url, "CREATE TABLE schema_migrations (number integer, name text)")
    fetch(empty_url, "INSERT INTO schema_migrations VALUES (1, '0001_identity.sql')")
    port = ("--port", "0") if command == "api" else ()
    ended = _ended(command, *port, "--database-url", empty_url)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert "the database is not migrated to this version (it lacks 0002_" in ended.stderr


@pytest.mark.parametrize("command", [("up", "--port", "0"), ("worker",), ("org", "list")], ids=" ".join)
def test_a_folder_without_permission_is_named(command: tuple[str, ...], tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o000)
    if os.geteuid() == 0:
        os.chown(locked, 65534, 65534)
    ended = _ended(*command, "--data-dir", str(locked / "data"), without_power=True)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert f"{locked}/data" in ended.stderr
    assert "Permission denied" in ended.stderr
