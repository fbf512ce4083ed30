"""`steward api` and `steward worker` without a second of imports: one process imports a command's module, and forks for each start.

What is started is a process of its own that runs the command from its first line, with the arguments, environment, folder
and log that it was given; only the imports are shared. `python -m tests.support.warm_start api FD` is the process that forks.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

_ROOT = Path(__file__).parents[2]
_MODULES = {"api": "steward.cli.run_api", "worker": "steward.cli.run_worker"}
_LONGEST_MESSAGE = 1 << 17
# Read by the interpreter before any code of ours, so that a process which is forked would not notice.
_INTERPRETERS_OWN = ("PYTHON", "LD_PRELOAD", "COVERAGE")


def can_be_forked(arguments: Sequence[str], environment: dict[str, str]) -> bool:
    changed = {name for name in {*environment, *os.environ} if environment.get(name) != os.environ.get(name)}
    measured = any(name.startswith("COVERAGE") for name in environment)
    return (
        arguments[0] in _MODULES
        and not measured
        and not any(n.startswith(_INTERPRETERS_OWN) for n in changed)
    )


class ForkedProcess:
    """As much of `subprocess.Popen` as the tests use."""

    def __init__(
        self, arguments: Sequence[str], environment: dict[str, str], log: IO[bytes], folder: Path
    ) -> None:
        self._server = _server(arguments[0])
        order = {"arguments": list(arguments), "environment": environment, "folder": str(folder)}
        self.pid: int = self._server.ask({"start": order}, log.fileno())
        self._handle = os.pidfd_open(self.pid)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._server.ask({"code": self.pid})
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.poll() is None and not select.select([self._handle], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(f"steward ({self.pid})", timeout or 0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        # A handle never means another process that has got the same number since.
        if self.poll() is None:
            signal.pidfd_send_signal(self._handle, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __del__(self) -> None:
        os.close(self._handle)


class _Server:
    """The process that has imported a command and forks; it ends with the test process, and its children with it."""

    def __init__(self, command: str) -> None:
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm_start", command, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=_ROOT,
            )

    def ask(self, question: dict[str, Any], *descriptors: int) -> Any:
        with self._lock:
            socket.send_fds(self._control, [json.dumps(question).encode()], descriptors)
            answer = self._control.recv(_LONGEST_MESSAGE)
        assert answer, "the process that forks has ended"
        return json.loads(answer)


@cache
def _server(command: str) -> _Server:
    return _Server(command)


def _serve(control: socket.socket) -> None:
    """Answers until the other side has ended; returns only in a process that was forked."""
    codes: dict[int, int | None] = {}
    while True:
        message, descriptors, *_ = socket.recv_fds(control, _LONGEST_MESSAGE, 1)
        if not message:
            break
        match json.loads(message):
            case {"start": order}:
                if not (child := os.fork()):
                    control.close()
                    return _become(order, descriptors[0])
                codes[child] = None
                os.close(descriptors[0])
                control.send(json.dumps(child).encode())
            case {"code": child}:
                control.send(json.dumps(_code_of(child, codes)).encode())
    for child in codes:
        if _code_of(child, codes) is None:
            os.kill(child, signal.SIGKILL)
    os._exit(0)


def _code_of(child: int, codes: dict[int, int | None]) -> int | None:
    if codes[child] is None:
        ended, status = os.waitpid(child, os.WNOHANG)
        codes[child] = os.waitstatus_to_exitcode(status) if ended else None
    return codes[child]


def _become(order: dict[str, Any], log: int) -> None:
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["steward", *order["arguments"]]


if __name__ == "__main__":
    import_module(_MODULES[sys.argv[1]])
    _serve(socket.socket(fileno=int(sys.argv[2])))
    import_module("steward.cli").main()
