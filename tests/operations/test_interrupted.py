"""Commands over an embedded database that are asked to stop, or are killed: nothing goes on, and the next one works."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from tests.operations.command import PASSPHRASE, done, refused
from tests.operations.house import House
from tests.supervisor.helpers import next_line, program, server_of
from tests.support.databases import fetch, run_commands
from tests.support.launching import remove_cluster
from tests.support.locks import waiting_backends
from tests.support.processes import StewardProcess
from tests.support.waiting import wait_for

from steward.supervisor.data_dir import lock_data_dir
from steward.supervisor.postgres import EmbeddedPostgres, running_url

pytestmark = pytest.mark.long

ADMIN = ("--admin-email", "ada@example.com", "--admin-password", "correct horse battery staple")


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory with an organization, over which nothing runs."""
    folder = tmp_path / "data"
    done("org", "create", "Harbour House", *ADMIN, "--data-dir", folder, secret_key=None)
    yield folder
    remove_cluster(folder)


@pytest.fixture
def passphrase(tmp_path: Path) -> str:
    path = tmp_path / "passphrase"
    path.write_text(PASSPHRASE, encoding="utf-8")
    return str(path)


@contextmanager
def locked_sequence(url: str) -> Iterator[None]:
    """Nobody reads it meanwhile, which is the last that a backup does."""
    [(name,)] = fetch(url, "SELECT sequencename FROM pg_sequences ORDER BY 1 LIMIT 1")
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        try:
            runner.run(connection.execute(f"BEGIN; ALTER SEQUENCE {name} RENAME TO renamed"))
            yield
        finally:
            runner.run(connection.close())


def test_a_backup_that_is_asked_to_stop_leaves_no_file(house: House, tmp_path: Path, passphrase: str) -> None:
    words = ("backup", str(tmp_path / "steward.backup"), "--passphrase-file", passphrase)
    with locked_sequence(house.url):
        process = StewardProcess(tmp_path / "log", *words, STEWARD_DATABASE_URL=house.url)
        try:
            waiting = partial(waiting_backends, house.url, "%pg_sequences%")
            wait_for("the end of the backup", lambda: asyncio.run(waiting()))
            assert list(tmp_path.glob(".steward.backup.*.unfinished"))
        finally:
            code = process.stop()
    assert code == 1, process.said
    assert "Traceback" not in process.said
    assert {path.name for path in tmp_path.iterdir()} == {"log", "passphrase"}


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
