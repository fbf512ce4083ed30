"""`python -m bench.live_streams [--streams N] [--most N] [--changes N] [--idle-seconds N] [--unwritten]`; bench/README.md explains."""

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from bench import cpu, processes, report
from bench.command_line import parse
from bench.live_streams.pages import Pages
from bench.live_streams.people import begin_sessions, make_people, post
from bench.tenants import Tenant, make_tenants
from steward.web.live.hub import MAX_PER_OWNER
from steward.wiring.schema import migrate

DEFAULT = False
_SETTLE_SECONDS = 3
_WARM_UP_CHANGES = 10


def _memory(pid: int) -> int:
    """In bytes, of what is the process's own."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024


def _change(port: int, tenant: Tenant, pages: Pages) -> float:
    order = post(port, tenant.keys[0], f"/organizations/{tenant.id}/work-orders", {"title": "Leak"})
    return pages.wait_for(order["id"].encode())


def _cost_of_changes(port: int, pid: int, tenant: Tenant, pages: Pages, changes: int) -> tuple[float, float]:
    """CPU milliseconds of our process for each, and the median of milliseconds until the last stream knew of it."""
    for _ in range(_WARM_UP_CHANGES):
        _change(port, tenant, pages)
    began = cpu.seconds_of(pid)
    took = [_change(port, tenant, pages) for _ in range(changes)]
    return (cpu.seconds_of(pid) - began) * 1000 / changes, statistics.median(took) * 1000


def _idle_share(pid: int, seconds: int) -> float:
    began = cpu.seconds_of(pid)
    time.sleep(seconds)
    return (cpu.seconds_of(pid) - began) / seconds


def _measure(
    options: argparse.Namespace, port: int, pid: int, tenant: Tenant, cookies: list[str]
) -> dict[str, Any]:
    # With one stream, everything is loaded that all of them share.
    with Pages(port) as one:
        one.open_all(cookies[:1])
        cpu_of_one, _ = _cost_of_changes(port, pid, tenant, one, options.changes)
        idle_with_one = _idle_share(pid, options.idle_seconds)
    with Pages(port) as pages:
        pages.open_all(cookies[: options.streams])
        cpu_of_all, took = _cost_of_changes(port, pid, tenant, pages, options.changes)
        idle_with_all = _idle_share(pid, options.idle_seconds)
    return {
        "streams": options.streams,
        "change_cpu_ms": round(cpu_of_all, 2),
        "change_cpu_ms_of_one": round(cpu_of_one, 2),
        "fan_out_cpu_us": round((cpu_of_all - cpu_of_one) * 1000 / options.streams, 1),
        "change_to_last_ms": round(took, 1),
        "idle_cpu_percent": round(idle_with_all * 100, 2),
        "idle_cpu_percent_of_one": round(idle_with_one * 100, 2),
        "kib_per_stream": round(_memory_per_stream(port, pid, tenant, cookies) / 1024, 1),
    }


def _memory_per_stream(port: int, pid: int, tenant: Tenant, cookies: list[str]) -> float:
    """What the second half takes: the first finds room in what the process had before."""
    half = len(cookies) // 2
    with Pages(port) as first, Pages(port) as second:
        first.open_all(cookies[:half])
        _change(port, tenant, first)
        time.sleep(_SETTLE_SECONDS)
        before = _memory(pid)
        second.open_all(cookies[half:])
        _change(port, tenant, second)
        time.sleep(_SETTLE_SECONDS)
        return (_memory(pid) - before) / (len(cookies) - half)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.live_streams", description="What open pages cost.")
    parser.add_argument("--streams", type=int, default=200, help="of one organization, for CPU")
    parser.add_argument("--most", type=int, default=2000, help="streams, for what each takes of memory")
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--idle-seconds", type=int, default=32, help="two heartbeats, and a little")
    options = parse(parser, words)
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        asyncio.run(migrate(url))
        tenant = asyncio.run(make_tenants(url))[0]
        with processes.running_service(folder, url) as (port, _):
            people = make_people(port, tenant, options.most // MAX_PER_OWNER)
        cookies = asyncio.run(begin_sessions(url, tenant, people * MAX_PER_OWNER))
        # Another process: hashing passwords has left free memory in the first, which streams would have taken.
        with processes.running_service(folder, url) as (port, pid):
            figures = {"live_streams": _measure(options, port, pid, tenant, cookies)}
    print(figures["live_streams"])
    if not options.unwritten:
        print(f"written to {report.write_figures(figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
