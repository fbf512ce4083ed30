"""Where the time of our API process goes, by py-spy. It is no dependency: whoever has it, uses it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from bench.load import Sample

_SECONDS = 10


def find_profiler() -> str | None:
    return shutil.which("py-spy")


def record(profiler: str, pid: int, load: Callable[[int], Sample], file: Path) -> None:
    """A round of its own, since the profiler takes CPU time as well."""
    command = [profiler, "record", "--format", "raw", "--rate", "500", "--duration", str(_SECONDS)]
    with subprocess.Popen(
        [*command, "--output", str(file), "--pid", str(pid)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        load(_SECONDS + 1)
        process.wait()
