"""One process of a child, from its start to its end."""

import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from steward.supervisor.inherited_files import READY_FD, SUPERVISED
from steward.supervisor.restarts import RestartBackoff

# Only the kernel itself can keep a killed process longer, as with a disk that doesn't answer.
_KILLED_SECONDS = 5.0


class ChildSpec(NamedTuple):
    """What to start. `sockets` are listening ones, each under the variable that tells the child its number."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    sockets: Mapping[str, socket.socket] = MappingProxyType({})


class ChildProcess:
    def __init__(self, spec: ChildSpec, lifeline: int) -> None:
        """Raises OSError when it can't be started."""
        self._said_ready = False
        self._ready, tell = os.pipe()
        os.set_blocking(self._ready, False)
        handed = {SUPERVISED: lifeline, READY_FD: tell}
        handed |= {variable: listener.fileno() for variable, listener in spec.sockets.items()}
        try:
            # A process group of its own: Ctrl-C is for us, who then ask the children in order.
            self._process = subprocess.Popen(
                spec.argv,
                env={**spec.environment, **{variable: str(number) for variable, number in handed.items()}},
                stdin=subprocess.DEVNULL,
                pass_fds=tuple(handed.values()),
                process_group=0,
            )
        except OSError:
            os.close(self._ready)
            raise
        finally:
            os.close(tell)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    @property
    def is_ready(self) -> bool:
        """Whether it has said so."""
        if not self._said_ready:
            with suppress(BlockingIOError):
                self._said_ready = os.read(self._ready, 1) != b""
        return self._said_ready

    def ask_to_stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """SIGTERM to all who listen on a socket, SIGHUP to one that another has taken the place of, SIGINT to hurry."""
        self._process.send_signal(how)
        # One that was stopped (SIGSTOP) would never hear it.
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Together with its process group, so that nothing it started stays behind."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_KILLED_SECONDS)

    def close(self) -> None:
        os.close(self._ready)


class Child:
    """What is kept running: one process after the other."""

    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self.restarts = RestartBackoff(spec.name)
        self.process: ChildProcess | None = None
        self.start_at = 0.0
