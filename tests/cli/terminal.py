"""A terminal with somebody at it."""

import os
import pty
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.processes import environment
from tests.support.waiting import limit


def at_a_terminal(command: Sequence[str], directory: Path, answers: Sequence[str]) -> tuple[int, str]:
    """The exit code of a command whose questions are answered one after the other, and what was to be seen."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(),
        cwd=directory,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        said = b""
        for answer in answers:
            while not said.rstrip().endswith(b":"):
                said += os.read(ours, 1000)
            os.write(ours, f"{answer}\n".encode())
            said += b"."
        while process.poll() is None:
            try:
                said += os.read(ours, 1000)
            except OSError:
                # Linux says so when the other end is closed.
                process.wait(limit(60))
        os.close(ours)
    return process.returncode, said.decode()
