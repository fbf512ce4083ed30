"""Where the time of our API process goes, by py-spy where that is installed. It is no dependency."""

import shutil
import subprocess
from collections.abc import Callable

from bench.load import Sample
from bench.report import RESULTS

_SECONDS = 10


def record(name: str, pid: int, load: Callable[[int], Sample]) -> None:
    """A round of its own, since the profiler takes CPU time as well."""
    profiler = shutil.which("py-spy")
    if profiler is None:
        print("no profile: py-spy is not on the PATH (pip install py-spy, outside of this environment)")
        return
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"profile-{name}.txt"
    command = [profiler, "record", "--format", "raw", "--rate", "500", "--duration", str(_SECONDS)]
    with subprocess.Popen(
        [*command, "--output", str(file), "--pid", str(pid)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        load(_SECONDS + 1)
        process.wait()
    print(f"profile of {name}: {file}")
