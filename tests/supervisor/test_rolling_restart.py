"""A restart that nobody notices: sockets that outlive processes, and processes that are replaced one by one."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.supervisor.helpers import PROGRAMS, is_alive, next_line, program
from tests.supervisor.test_supervisor import living
from tests.supervisor.test_up import line_that_begins, port_of
from tests.support.waiting import limit, wait_for

from steward.supervisor.errors import UpError
from steward.supervisor.inherited_files import inherited_socket


def answer(port: int) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=limit(60))
    try:
        connection.request("GET", "/health/ready")
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@contextmanager
def asking(port: int) -> Iterator[list[tuple[int, str]]]:
    """Asks all the while, over a connection for each; an answer that failed ends the test."""
    answers: list[tuple[int, str]] = []
    over = threading.Event()
    failed: list[Exception] = []

    def ask() -> None:
        while not over.is_set():
            try:
                answers.append(answer(port))
            except (OSError, http.client.HTTPException) as error:
                failed.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert failed == []


def test_sighup_replaces_every_process_and_no_request_fails(used_data_dir: Path, tmp_path: Path) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as steward:
        port = port_of(line_that_begins(steward, "prepared"))
        line_that_begins(steward, "ready")
        with asking(port) as answers:
            for _ in range(2):
                (api,) = wait_for("an API process", lambda: living(tmp_path, "api"))
                (worker,) = wait_for("a worker", lambda: living(tmp_path, "worker"))
                expected = (200, str(api))
                wait_for("an answer of the new process", lambda: expected in answers[-4:])  # noqa: B023
                steward.send_signal(signal.SIGHUP)
                assert next_line(steward) == "restarting the processes one by one"
                assert next_line(steward) == "all processes are new ones"
                assert api not in living(tmp_path, "api")
                assert worker not in living(tmp_path, "worker")
        assert {status for status, _ in answers} == {200}
        assert len({pid for _, pid in answers}) == 3
        steward.terminate()
        assert steward.wait() == 0
    assert not living(tmp_path, "api") + living(tmp_path, "worker")


def test_connections_between_two_processes_are_answered_by_the_next(
    used_data_dir: Path, tmp_path: Path
) -> None:
    with program("run_up.py", used_data_dir, 0, tmp_path, "api", "worker") as steward:
        port = port_of(line_that_begins(steward, "prepared"))
        line_that_begins(steward, "ready")
        (first,) = living(tmp_path, "api")
        os.kill(first, signal.SIGKILL)
        wait_for("the end of the API process", lambda: is_alive(first) is False)
        status, pid = answer(port)
        assert (status, [int(pid)]) == (200, living(tmp_path, "api"))
        assert int(pid) != first
        steward.terminate()
        assert steward.wait() == 0


def test_the_old_processes_keep_running_when_a_new_one_fails_to_start(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 10, "once", "other") as supervisor:
        (once,) = wait_for("the first child", lambda: living(tmp_path, "once"))
        (other,) = wait_for("the other child", lambda: living(tmp_path, "other"))
        supervisor.send_signal(signal.SIGHUP)
        assert next_line(supervisor) == "restarting the processes one by one"
        expected = "the new once died before it was ready (exit code 3); the old processes go on"
        assert next_line(supervisor) == expected
        assert (living(tmp_path, "once"), living(tmp_path, "other")) == ([once], [other])
        supervisor.terminate()
        assert supervisor.wait() == 0


def test_an_old_process_that_does_not_end_is_killed_after_the_grace(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 0.5, "stubborn") as supervisor:
        (old,) = wait_for("a stubborn child", lambda: living(tmp_path, "stubborn"))
        supervisor.send_signal(signal.SIGHUP)
        assert next_line(supervisor) == "restarting the processes one by one"
        assert next_line(supervisor) == "the old stubborn is killed: not done after 0.5 s"
        assert next_line(supervisor) == "all processes are new ones"
        (new,) = living(tmp_path, "stubborn")
        assert new != old


def test_stopping_in_the_middle_of_a_restart_leaves_nothing(tmp_path: Path) -> None:
    # With a long grace period both children stay until they are asked to stop a second time.
    with program("supervise.py", tmp_path, 600, "stubborn") as supervisor:
        wait_for("a stubborn child", lambda: living(tmp_path, "stubborn"))
        supervisor.send_signal(signal.SIGHUP)
        wait_for("the old one and the new one", lambda: len(living(tmp_path, "stubborn")) == 2)

        def ask_again() -> bool:
            supervisor.terminate()
            return supervisor.poll() is not None

        wait_for("the end of the supervisor", ask_again)
        assert supervisor.returncode == 0
    assert not living(tmp_path, "stubborn")


def test_closing_the_terminal_does_not_restart(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    words: list[str | Path] = [
        sys.executable,
        PROGRAMS / "with_terminal.py",
        PROGRAMS / "supervise.py",
        tmp_path,
        "10",
        "steady",
    ]
    with subprocess.Popen(
        words, stdin=theirs, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as supervisor:
        os.close(theirs)
        try:
            wait_for("a steady child", lambda: living(tmp_path, "steady"))
            os.close(ours)
            assert supervisor.wait(limit(60)) == 0
        finally:
            supervisor.kill()
    assert not living(tmp_path, "steady")


def test_a_socket_of_systemd_is_used_only_by_its_process(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        # As systemd does it: the first file after standard error, and the number of the process itself.
        script = f'exec 3<&{listener.fileno()}; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$0" "$@"'
        words: list[str | Path] = [
            "bash",
            "-c",
            script,
            sys.executable,
            PROGRAMS / "child.py",
            "api",
            tmp_path,
        ]
        with subprocess.Popen(words, pass_fds=[listener.fileno()]) as child:
            try:
                assert answer(port) == (200, str(child.pid))
            finally:
                child.kill()
        others = {"LISTEN_PID": str(child.pid), "LISTEN_FDS": "1"}
        assert inherited_socket(others) is None


def test_an_inherited_socket_must_listen() -> None:
    with socket.socket() as silent, pytest.raises(UpError, match="doesn't listen"):
        inherited_socket({"STEWARD_LISTEN_FD": str(silent.detach())})
    read, write = os.pipe()
    with pytest.raises(UpError, match="is no socket"):
        inherited_socket({"STEWARD_LISTEN_FD": str(read)})
    os.close(read)
    os.close(write)
