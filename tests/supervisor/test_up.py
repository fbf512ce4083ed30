"""`up` from the outside: a process with children and a PostgreSQL, started, disturbed and stopped."""

import os
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.supervisor.helpers import is_alive, location_of, next_line, program, run_sql, server_of
from tests.supervisor.test_supervisor import living
from tests.support.waiting import limit, wait_for

from steward.supervisor.postgres import running_url
from steward.supervisor.postmaster import backend_pids


def line_that_begins(process: subprocess.Popen[str], beginning: str) -> str:
    """Skips what is said before; fails at the end of the output."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith(beginning):
            return line.strip()
    raise AssertionError(f"{beginning!r} was never said, only {said}")


def port_of(prepared: str) -> int:
    """The one that `up` took, as `run_up.py` says it."""
    port = urlsplit(prepared.rsplit(maxsplit=1)[-1]).port
    assert port is not None
    return port


def said_last(data_dir: Path) -> str:
    """By the server, in its log."""
    return location_of(data_dir).log.path.read_text(encoding="utf-8").strip().splitlines()[-1]


def server_pid(data_dir: Path) -> int:
    server = server_of(data_dir)
    assert server is not None
    return server.pid


@pytest.mark.parametrize("request_to_stop", [signal.SIGTERM, signal.SIGINT])
async def test_up_announces_itself_and_leaves_nothing(
    used_data_dir: Path, tmp_path: Path, request_to_stop: signal.Signals
) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as steward:
        _, url, key_bytes, _address = next_line(steward).split()
        assert key_bytes == "32"
        assert next_line(steward) == "ready"
        assert running_url(used_data_dir) == url
        assert await run_sql(url, "SELECT 1") == 1
        server = server_pid(used_data_dir)

        steward.send_signal(request_to_stop)
        assert steward.wait() == 0
    assert not is_alive(server)
    assert not living(tmp_path, "api")
    assert not living(tmp_path, "worker")


async def test_up_restarts_over_a_running_postgresql(used_data_dir: Path, tmp_path: Path) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as steward:
        prepared = line_that_begins(steward, "prepared")
        url, port = prepared.split()[1], port_of(prepared)
        await run_sql(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        line_that_begins(steward, "ready")
        server = server_pid(used_data_dir)
        steward.kill()

    # At once, on the same port: the children of the first may just be noticing.
    with program("run_up.py", used_data_dir, port, tmp_path, "api", "worker") as steward:
        line_that_begins(steward, "ready")
        assert server_pid(used_data_dir) == server
        assert await run_sql(url, "SELECT answer FROM kept") == 42
        steward.terminate()
        assert steward.wait() == 0
    assert not is_alive(server)


async def test_a_dying_postgresql_is_started_again(used_data_dir: Path, tmp_path: Path) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as steward:
        url = line_that_begins(steward, "prepared").split()[1]
        line_that_begins(steward, "ready")
        os.kill(server_pid(used_data_dir), signal.SIGKILL)
        assert next_line(steward) == "PostgreSQL died (SIGKILL); starting it again in 0.2 s"
        wait_for("the server that was started again", lambda: running_url(used_data_dir) == url)
        assert await run_sql(url, "SELECT 1") == 1
        steward.terminate()
        assert steward.wait() == 0


@pytest.mark.parametrize("everything", [True, False])
def test_a_postgresql_that_was_stopped_ends_with_the_rest(
    used_data_dir: Path, tmp_path: Path, everything: bool
) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as steward:
        line_that_begins(steward, "ready")
        server = server_pid(used_data_dir)
        backends = backend_pids(location_of(used_data_dir).cluster)
        for pid in (server, *(backends if everything else ())):
            os.kill(pid, signal.SIGSTOP)
        steward.terminate()
        assert steward.wait(limit(60)) == 0
    # By itself: had it been killed, this would be left to recovery at the next start.
    assert said_last(used_data_dir).endswith("database system is shut down")
    assert not any(is_alive(pid) for pid in (server, *backends))


def test_an_api_that_keeps_dying_stops_the_supervisor(used_data_dir: Path, tmp_path: Path) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "failing", "worker") as steward:
        line_that_begins(steward, "prepared")
        server = server_pid(used_data_dir)
        line_that_begins(steward, "api keeps dying (5 times in 60 s, last: exit code 3); giving up")
        assert steward.wait() != 0
    assert not is_alive(server)
    assert not living(tmp_path, "worker")


def test_a_stop_request_during_the_start_is_honoured(data_dir: Path, tmp_path: Path) -> None:
    with program("run_up.py", data_dir, 0, tmp_path, "api", "worker") as steward:
        wait_for("the key", (data_dir / "secret.key").exists)  # made just before the database
        steward.terminate()
        assert steward.stdout is not None
        assert "Traceback" not in steward.stdout.read()
        assert steward.wait() == 0
    assert running_url(data_dir) is None


def test_a_port_in_use_is_reported_before_anything_starts(data_dir: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with program("run_up.py", data_dir, port, tmp_path, "api", "worker") as steward:
            assert next_line(steward).startswith(
                f"port {port} on 127.0.0.1 is in use; name another with --port"
            )
            assert steward.wait() == 2
    assert running_url(data_dir) is None


def test_a_second_steward_in_the_same_directory_is_refused(used_data_dir: Path, tmp_path: Path) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as first:
        line_that_begins(first, "ready")
        with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as second:
            expected = f"data directory {used_data_dir} is in use by another Steward (pid {first.pid})"
            assert next_line(second) == expected
            assert second.wait() == 2
        first.terminate()
        assert first.wait() == 0
