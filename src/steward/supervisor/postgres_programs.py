"""Starts PostgreSQL's programs: as the right account, in a session of their own, in a clean environment."""

import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from os import killpg
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from steward.supervisor.errors import UpError
from steward.supervisor.system_account import SystemAccount

# Nothing of the operator's shell (PGPORT, PGOPTIONS, LANG ...) may change what the server does.
_CLEAN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_POLL_SECONDS = 0.02

Pause = Callable[[float], None]


class PostgresPrograms(NamedTuple):
    """PostgreSQL's programs and who runs them. `pause` waits, and may raise to abandon what is awaited. `variables` are
    what their environment holds beside the little that it always does."""

    folder: Path
    account: SystemAccount
    pause: Pause
    variables: Mapping[str, str] = MappingProxyType({})

    def launch(
        self, program: str, arguments: Sequence[str], *, output: IO[bytes], stdin: IO[bytes] | None = None
    ) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C must reach the server only through us, after the API has drained.
        try:
            return subprocess.Popen(
                [str(self.folder / program), *arguments],
                stdin=stdin or subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={**_CLEAN, **self.variables},
                umask=0o077,
                start_new_session=True,
                **self._user_options(),
            )
        except OSError as error:
            raise UpError(f"{program} can't be run as {self.account.name}: {error}") from error

    def run(self, program: str, arguments: Sequence[str], *, stdin: str = "") -> None:
        """Runs a program to its end; abandoned in the middle, it takes its own children with it."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as stdin_file:
            stdin_file.write(stdin.encode())
            stdin_file.seek(0)
            process = self.launch(program, arguments, output=output, stdin=stdin_file)
            try:
                while process.poll() is None:
                    self.pause(_POLL_SECONDS)
            finally:
                if process.poll() is None:
                    with suppress(ProcessLookupError):
                        killpg(process.pid, signal.SIGKILL)
                    process.wait()
            if process.returncode != 0:
                output.seek(0)
                raise UpError(f"{program} failed: {error_lines(output.read().decode(errors='replace'))}")

    def _user_options(self) -> dict[str, Any]:
        if self.account.is_current:
            return {}
        return {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}


def error_lines(output: str) -> str:
    """The few lines of a program's output that say what went wrong, as one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    alarming = [line for line in lines if any(word in line for word in ("FATAL:", "PANIC:", "error:"))]
    return " / ".join((alarming or lines)[-3:]) or "it said nothing"
