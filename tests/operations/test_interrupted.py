"""Commands over an embedded database that are asked to stop, or are killed: nothing goes on, and the next one works."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from tests.operations.backups import back_up, restore
from tests.operations.command import PASSPHRASE, done, refused
from tests.operations.house import House
from tests.supervisor.helpers import next_line, program, server_of
from tests.support.databases import fetch, run_commands
from tests.support.locks import waiting_backends
from tests.support.processes import StewardProcess, environment
from tests.support.waiting import wait_for

from steward.supervisor.data_dir import lock_data_dir
from steward.supervisor.postgres import EmbeddedPostgres, running_url

pytestmark = pytest.mark.long

ADMIN = ("--admin-email", "ada@example.com", "--admin-password", "correct horse battery staple")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with an organization, over which nothing runs."""
    folder = tmp_path / "data"
    done("org", "create", "Harbour House", *ADMIN, "--data-dir", folder, secret_key=None)
    return folder


@pytest.fixture
def passphrase(tmp_path: Path) -> str:
    path = tmp_path / "passphrase"
    path.write_text(PASSPHRASE, encoding="utf-8")
    return str(path)


@contextmanager
def uncommitted(url: str, statement: str) -> Iterator[None]:
    """Others wait for what it locks."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        try:
            runner.run(connection.execute(f"BEGIN; {statement}"))
            yield
        finally:
            runner.run(connection.close())


@contextmanager
def held_backup(house: House, tmp_path: Path, passphrase: str) -> Iterator[StewardProcess]:
    """One whose pg_dump waits: for a sequence, which it reads last."""
    [(name,)] = fetch(house.url, "SELECT sequencename FROM pg_sequences ORDER BY 1 LIMIT 1")
    words = ("backup", str(tmp_path / "steward.backup"), "--passphrase-file", passphrase)
    with uncommitted(house.url, f"ALTER SEQUENCE {name} RENAME TO renamed"):
        process = StewardProcess(tmp_path / "log", *words, STEWARD_DATABASE_URL=house.url)
        try:
            waiting = partial(waiting_backends, house.url, "%sequence%")
            wait_for("pg_dump to wait", lambda: asyncio.run(waiting()))
            assert list(tmp_path.glob(".steward.backup.*.unfinished"))
            yield process
        finally:
            process.stop()


def test_a_backup_that_is_asked_to_stop_leaves_no_file(house: House, tmp_path: Path, passphrase: str) -> None:
    with held_backup(house, tmp_path, passphrase) as process:
        code = process.stop()
    assert code == 1, process.said
    assert "Traceback" not in process.said
    assert {path.name for path in tmp_path.iterdir()} == {"log", "passphrase"}


def test_a_backup_that_is_killed_never_has_the_name(house: House, tmp_path: Path, passphrase: str) -> None:
    path = tmp_path / "steward.backup"
    with held_backup(house, tmp_path, passphrase) as process:
        process.kill()
    assert not path.exists()
    back_up(path, house.url)
    assert path.exists()


def test_a_restore_that_is_killed_leaves_the_database_empty(
    house: House, empty_url: str, tmp_path: Path, passphrase: str
) -> None:
    path = tmp_path / "steward.backup"
    back_up(path, house.url)
    words = ("restore", str(path), "--passphrase-file", passphrase)
    # So that psql waits in the middle.
    with uncommitted(empty_url, "CREATE TABLE work_orders (id text)"):
        process = StewardProcess(tmp_path / "log", *words, STEWARD_DATABASE_URL=empty_url)
        try:
            waiting = partial(waiting_backends, empty_url, "CREATE TABLE public.work_orders%")
            wait_for("psql to wait", lambda: asyncio.run(waiting()))
        finally:
            process.kill()
    sessions = (
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'psql'"
    )
    wait_for("the end of psql", lambda: not fetch(empty_url, sessions))
    assert fetch(empty_url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace") == []
    restore(path, empty_url)
    assert fetch(empty_url, "SELECT count(*) FROM work_orders")[0][0] == 2


def test_a_full_disk_is_one_clear_line(house: House, tmp_path: Path, passphrase: str) -> None:
    """A limit for files, which is as near as everybody can come to a disk that is full."""
    path = tmp_path / "steward.backup"
    command = f"ulimit -f 32; exec {sys.executable} -m steward backup {path} --passphrase-file {passphrase}"
    variables = environment(STEWARD_DATABASE_URL=house.url)
    done = subprocess.run(["bash", "-c", command], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stderr == "steward: the backup can't be written: File too large\n"
    assert {path.name for path in tmp_path.iterdir()} == {"passphrase"}


def hold_everybody(data: Path) -> None:
    """Every new connection to this database hangs; the server runs as before."""
    postgres = EmbeddedPostgres(data)
    url = postgres.start()
    try:
        function = """CREATE FUNCTION hold() RETURNS event_trigger LANGUAGE plpgsql
                      AS 'BEGIN PERFORM pg_sleep(600); END'"""
        trigger = "CREATE EVENT TRIGGER hold ON login EXECUTE FUNCTION hold()"
        asyncio.run(run_commands(url, function, trigger, "SELECT 1"))
    finally:
        postgres.stop()


def test_a_command_that_is_asked_to_stop_stops_its_server(
    data: Path, tmp_path: Path, passphrase: str
) -> None:
    # Else it might be done before it is asked.
    hold_everybody(data)
    words = ("backup", str(tmp_path / "steward.backup"), "--passphrase-file", passphrase)
    process = StewardProcess(tmp_path / "log", *words, STEWARD_DATA_DIR=str(data), STEWARD_SECRET_KEY="")
    try:
        wait_for("the server of the command", lambda: running_url(data))
        process.process.send_signal(signal.SIGTERM)
    finally:
        process.stop()
    assert "Traceback" not in process.said
    assert server_of(data) is None


def test_a_new_key_is_made_over_the_server_of_one_that_was_killed(data: Path) -> None:
    with program("hold_postgres.py", data) as killed:
        next_line(killed)
        killed.kill()
    assert server_of(data) is not None
    done("rotate-key", "--new", "--data-dir", data, secret_key=None)
    assert server_of(data) is None


def test_a_new_key_is_refused_beside_a_service(data: Path) -> None:
    done("rotate-key", "--new", "--data-dir", data, secret_key=None)
    keys = (data / "secret.key").read_bytes()
    with lock_data_dir(data):
        said = refused("rotate-key", "--new", "--data-dir", data, secret_key=None)
    assert "--new needs a service that is stopped" in said
    assert "`steward rotate-key` without --new finishes" in said
    assert (data / "secret.key").read_bytes() == keys
