"""Children under a supervisor, all of them real processes."""

import os
import signal
from pathlib import Path

from tests.supervisor.helpers import is_alive, next_line, program
from tests.support.waiting import limit, wait_for

from steward.supervisor.supervisor import GAVE_UP


def living(folder: Path, kind: str) -> list[int]:
    pids = (int(note.name.rpartition("-")[2]) for note in folder.glob(f"{kind}-*"))
    return [pid for pid in pids if is_alive(pid)]


def test_a_child_that_dies_is_started_again(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 10, "steady", "other") as supervisor:
        (first,) = wait_for("a steady child", lambda: living(tmp_path, "steady"))
        (untouched,) = wait_for("the other child", lambda: living(tmp_path, "other"))
        os.kill(first, signal.SIGKILL)
        assert next_line(supervisor) == "steady died (SIGKILL); starting it again in 0.2 s"
        (second,) = wait_for("a steady child", lambda: living(tmp_path, "steady"))
        assert second != first
        assert living(tmp_path, "other") == [untouched]

        supervisor.terminate()
        assert supervisor.wait() == 0
        assert not is_alive(second)
        assert not is_alive(untouched)


def test_one_child_that_keeps_dying_ends_them_all(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 10, "steady", "failing") as supervisor:
        assert supervisor.stdout is not None
        lines = supervisor.stdout.read().splitlines()
        assert supervisor.wait() == GAVE_UP
    assert lines[0] == "failing died (exit code 3); starting it again in 0.2 s"
    assert lines[-1] == "failing keeps dying (5 times in 60 s, last: exit code 3); giving up"
    assert len(lines) == 5
    assert not living(tmp_path, "steady")


def test_a_child_that_cannot_start_yet_is_retried_without_limit(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 10, "early") as supervisor:
        for _ in range(6):
            assert next_line(supervisor) == "early can't start yet; trying again in 1 s"
        wait_for("a child that has started", lambda: living(tmp_path, "early"))
        supervisor.terminate()
        assert supervisor.wait() == 0


def test_a_child_that_ignores_the_request_is_killed_after_the_grace(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 0.3, "stubborn") as supervisor:
        wait_for("a stubborn child", lambda: living(tmp_path, "stubborn"))
        supervisor.send_signal(signal.SIGINT)
        assert next_line(supervisor) == "stubborn is killed: not done after 0.3 s"
        assert supervisor.wait() == 0
    assert not living(tmp_path, "stubborn")


def test_a_child_that_was_stopped_ends_like_the_others(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 600, "steady") as supervisor:
        (child,) = wait_for("a steady child", lambda: living(tmp_path, "steady"))
        os.kill(child, signal.SIGSTOP)
        supervisor.terminate()
        assert supervisor.wait(limit(60)) == 0
    assert not is_alive(child)


def test_a_child_that_was_stopped_and_ignores_the_request_is_killed_too(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 0.3, "stubborn") as supervisor:
        (child,) = wait_for("a stubborn child", lambda: living(tmp_path, "stubborn"))
        os.kill(child, signal.SIGSTOP)
        supervisor.terminate()
        assert next_line(supervisor) == "stubborn is killed: not done after 0.3 s"
        assert supervisor.wait(limit(60)) == 0
    assert not is_alive(child)


def test_a_second_search_does_not_wait_for_the_first(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 600, "stubborn") as supervisor:
        wait_for("a stubborn child", lambda: living(tmp_path, "stubborn"))

        def ask_again() -> bool:
            supervisor.terminate()
            return supervisor.poll() is not None

        wait_for("the end of the supervisor", ask_again)
        assert next_line(supervisor) == "stubborn is killed: we were asked twice"
    assert not living(tmp_path, "stubborn")


def test_children_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    with program("supervise.py", tmp_path, 10, "steady", "other") as supervisor:
        wait_for("two children", lambda: living(tmp_path, "steady") and living(tmp_path, "other"))
        supervisor.kill()
        wait_for("the end of both", lambda: not living(tmp_path, "steady") + living(tmp_path, "other"))
