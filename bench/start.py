"""Seconds from starting a process until it answers 200.

`up_cold_s` is `steward up` where there is nothing yet, until `/health/ready`: it makes a database, migrates it and starts everything.
`up_warm_s` is the same once more. `api_s` is `steward api` over a database that runs, until `/health/live`, since without a worker
it is never ready; `import_s` is what importing takes of that.
"""

import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

from tests.support.launching import START_SECONDS, remove_cluster, status_of, temporary_folder
from tests.support.ports import free_port
from tests.support.waiting import NotReadyError

from bench.processes import fresh_server, running
from bench.rounds import medians
from bench.scenario import Expected, Run, Scenario, Suite

_IMPORT = """import time; began = time.perf_counter()
import click
from steward.cli import group
group.get_command(click.Context(group), "api")
print(time.perf_counter() - began)"""


def _seconds_until(path: str, folder: Path, *words: object) -> float:
    port, log = free_port(), folder / "start.log"
    began = time.monotonic()
    with running(log, "steward", *words, "--data-dir", folder / "data", "--port", port):
        # At a steady pace: what is waited for is what is measured.
        while status_of(port, path) != 200:
            if time.monotonic() - began > START_SECONDS:
                raise NotReadyError(log.read_text()[-2000:])
            time.sleep(0.01)
        return time.monotonic() - began


def _measure_up() -> dict[str, float]:
    with temporary_folder("bench") as folder:
        try:
            return {
                f"up_{kind}_s": _seconds_until("/health/ready", folder, "up") for kind in ("cold", "warm")
            }
        finally:
            remove_cluster(folder / "data")


def _measure_api() -> dict[str, float]:
    with fresh_server() as server:
        words = ("api", "--database-url", server.url)
        _seconds_until("/health/live", server.folder, *words)  # makes the deployment's key
        imported = subprocess.run([sys.executable, "-c", _IMPORT], check=True, capture_output=True)
        return {
            "api_s": _seconds_until("/health/live", server.folder, *words),
            "import_s": float(imported.stdout),
        }


def start(_stage: None, run: Run) -> dict[str, float]:
    found = [_measure_up() | _measure_api() for _ in run.each(range(run.rounds))]
    return {name: round(seconds, 2) for name, seconds in medians(found).items()}


SUITE = Suite(nullcontext, {"start": Scenario(start, Expected(2, per_round=13))})
