"""`python -m bench.connectivity [--rounds N] [--devices N N] [--passes N] [--unwritten]`; the figures go to bench/results/latest.json.

The check runs by turns among few and among many devices, each in a database of its own on one fresh server:

* `flip_ms`: 1,000 devices of 20 tenants are found to have fallen silent, each with an event and a delivery;
* `alive_ms`: 1,000 devices are due and have reported meanwhile, so that only their next look moves;
* `idle_ms`: nothing is due;
* `hot`: share of HOT updates when every device reports `--passes` times, in random order and batches of 500;
* `ratio` of the last entry: what the check that flips costs among many devices, as a multiple of that among few.
"""

import argparse
import asyncio
import statistics
import sys
from typing import Any

import asyncpg

from bench import processes, report
from bench.command_line import parse
from bench.connectivity.devices import make_devices
from bench.connectivity.measure import FLIPS, Devices
from bench.databases import make_database
from steward.kit.runtime import clock

DEFAULT = False
_CHECKS: dict[str, dict[str, Any]] = {
    "flip_ms": {"due": FLIPS},
    "alive_ms": {"due": FLIPS, "silent": False},
    "idle_ms": {"due": 0},
}


async def _make(server_url: str, count: int) -> Devices:
    url = await make_database(server_url, f"devices_{count}")
    connection = await asyncpg.connect(url)
    now = clock.now()
    await make_devices(connection, count, now)
    await connection.close()
    return Devices(url, count, now)


async def _measure(server_url: str, options: argparse.Namespace) -> dict[str, Any]:
    fleets = [await _make(server_url, count) for count in options.devices]
    took: dict[int, dict[str, list[float]]] = {
        fleet.count: {name: [] for name in _CHECKS} for fleet in fleets
    }
    for number in range(options.rounds + 1):
        for name, check in _CHECKS.items():
            for fleet in fleets:
                seconds = await fleet.check(**check)
                if number > 0:  # the first is for warming up
                    took[fleet.count][name].append(seconds * 1000)
    figures: dict[str, Any] = {}
    for fleet in fleets:
        medians = {name: round(statistics.median(times), 2) for name, times in took[fleet.count].items()}
        spreads = {
            f"{name}_spread": [round(min(times), 2), round(max(times), 2)]
            for name, times in took[fleet.count].items()
        }
        hot, per_second = await fleet.hot_share(options.passes)
        shares = {"hot": round(hot, 4), "readings_per_second": round(per_second)}
        figures[f"connectivity_{fleet.count}"] = medians | spreads | shares
        print(f"{fleet.count:>9,} devices", medians | shares, flush=True)
    few, many = (figures[f"connectivity_{fleet.count}"] for fleet in (fleets[0], fleets[-1]))
    figures["connectivity"] = {"ratio": round(many["flip_ms"] / few["flip_ms"], 2)}
    print(figures["connectivity"])
    return figures


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.connectivity", description="The connectivity check among few and many devices."
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--devices", type=int, nargs=2, default=[100_000, 1_000_000])
    parser.add_argument("--passes", type=int, default=3, help="readings of every device")
    options = parse(parser, words)
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        figures = asyncio.run(_measure(url, options))
    if not options.unwritten:
        print(f"written to {report.write_figures(figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
