"""`python -m bench.start [--rounds N]`: seconds from starting a process until it answers 200.

`up_cold_s` is `steward up` where there is nothing yet, until `/health/ready`: it makes a database, migrates it and starts everything.
`up_warm_s` is the same once more. `api_s` is `steward api` over a database that runs, until `/health/live`, since without a worker
it is never ready; `import_s` is what importing takes of that.
"""

import argparse
import asyncio
import http.client
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import processes, progress, report
from bench.command_line import parse
from bench.progress import Expected
from steward.wiring.schema import migrate

SCENARIOS = ("start",)
EXPECTED = {"start": Expected(2, per_round=13)}
_DEADLINE_SECONDS = 120
_IMPORT = """import time; began = time.perf_counter()
import click
from steward.cli import group
group.get_command(click.Context(group), "api")
print(time.perf_counter() - began)"""


def _seconds_until(path: str, words: list[str], folder: Path) -> float:
    port = processes.any_free_port()
    began = time.monotonic()
    with processes.running([*words, "--port", str(port)], folder / "start.log"):
        while not _answers(port, path):
            if time.monotonic() - began > _DEADLINE_SECONDS:
                raise processes.NotReadyError((folder / "start.log").read_text()[-2000:])
            time.sleep(0.01)
        return time.monotonic() - began


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _import_seconds() -> float:
    done = subprocess.run([sys.executable, "-c", _IMPORT], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _measure_up() -> dict[str, float]:
    with processes.temporary_folder() as folder:
        words = ["steward", "up", "--data-dir", str(folder / "data")]
        try:
            return {
                f"up_{kind}_s": _seconds_until("/health/ready", words, folder) for kind in ("cold", "warm")
            }
        finally:
            processes.remove_cluster(folder / "data")


def _measure_api() -> dict[str, float]:
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        asyncio.run(migrate(url))
        words = ["steward", "api", "--data-dir", str(folder / "data"), "--database-url", url]
        _seconds_until("/health/live", words, folder)  # makes the deployment's key
        return {"api_s": _seconds_until("/health/live", words, folder), "import_s": _import_seconds()}


def _measure(rounds: int) -> dict[str, Any]:
    found = []
    for number in range(1, rounds + 1):
        progress.tell("start", number, rounds)
        found.append(_measure_up() | _measure_api())
    return {name: round(statistics.median(one[name] for one in found), 2) for name in found[0]}


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.start", description="From a command to readiness.")
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3, help="not used: a start takes what it takes")
    options = parse(parser, words)
    figures = {"start": _measure(options.rounds)}
    report.keep(figures, unwritten=options.unwritten)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
