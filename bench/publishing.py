"""The figures of a whole run, written between two marks in README and docs. Rendering is pure; the same figures give the same text."""

import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from steward.supervisor.binaries import MAJOR_VERSION

_ROOT = Path(__file__).parents[1]
_PEERS_LOCK = _ROOT / "requirements-bench.txt"
_PEER_PACKAGES = ("FastAPI", "SQLAlchemy", "uvicorn", "Celery")

# What is counted, by scenario: a row of a table.
_BESIDE_A_PEER = {
    "list": "pages of 20 work orders",
    "get": "single work orders",
    "create": "new work orders, each with number, event and delivery",
    "deliver": "webhook deliveries, each signed, sent and written down",
}
_BESIDE_A_FLOOR = _BESIDE_A_PEER | {
    "list_sorted": "pages by when they are due, with a status; beside our own unsorted pages",
    "list_several": "pages by when they are due, with one of two statuses; beside our own unsorted pages",
    "telemetry_single": "readings over HTTP, one by one",
    "telemetry_batch": "readings over HTTP, 100 in a request",
    "telemetry_mqtt": "readings over MQTT",
}

# What isn't beside a floor: a sentence of its figures.
_PAGE = (
    "among {many[size]:,} records: {many[per_second]:,} a second, {many[p50_ms]:.1f} ms for a caller alone, {many[api_ms]:.1f} ms of "
    "CPU of the API process and {many[postgres_ms]:.1f} ms of PostgreSQL."
)
FACTS = {
    "latency": (
        "From the commit to the receiver at {ours} events a second: {p50:.1f} ms in the median, {p99:.1f} ms in 99 of 100 cases."
    ),
    "start": (
        "From the command to the first answer: `steward up` with a new database {up_cold_s:.1f} s, with one that is there "
        "{up_warm_s:.1f} s; `steward api` alone {api_s:.2f} s, of which importing takes {import_s:.2f} s."
    ),
    "page_today": f"The first page of the web app {_PAGE}",
    "page_work_orders": f"A page of work orders in the web app {_PAGE}",
    "exports": (
        "An export of {rows:,} work orders: {csv[rows_per_second]:,} rows a second as CSV, {ndjson[rows_per_second]:,} as NDJSON; the "
        "process took at most {grown_mib} MiB more meanwhile."
    ),
    "feed": (
        "The change feed: {walk[events_per_second]:,} events a second to one reader, {walk[limit]} in a page; a page in the midst of "
        "{events[1]:,} events takes {middle[ratio]:.2f} times as long as in the midst of {events[0]:,}."
    ),
}

Figures = Mapping[str, Mapping[str, Any]]


class Run(msgspec.Struct, frozen=True):
    """When and on what it was measured."""

    day: date
    machine: str
    cores: int
    versions: Mapping[str, str]

    def sentence(self) -> str:
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return (
            f"Measured on {self.day.day} {self.day:%B %Y} by `make bench` on {self.machine} with {self.cores} cores, which load "
            f"generator, service and PostgreSQL share ({versions})."
        )


def summary(figures: Figures, run: Run) -> str:
    """For readers who are new to Steward."""
    head = ("a second", "Steward", "of the floor", "a team's own", "times as many")
    row = "{ours:,} | {ratio:.0%} | {peer:,} | {times_peer:.1f}"
    with_peer = {name: one for name, one in figures.items() if "peer" in one}
    return f"{run.sentence()}\n\n{_table(head, row, _BESIDE_A_PEER, with_peer)}"


def details(figures: Figures, run: Run) -> str:
    """Everything that a whole run measures."""
    head = ("a second", "ours", "floor", "share", "peer", "times", "CPU µs", "PostgreSQL µs")
    row = "{ours:,} | {floor:,} | {ratio:.0%} | {beside} | {cpu_us:,.0f} | {postgres_us:,.0f}"
    shown = {
        name: {**one, "beside": "{peer:,} | {times_peer:.1f}".format_map(one) if "peer" in one else " | "}
        for name, one in figures.items()
    }
    said = [f"- {sentence.format_map(figures[name])}" for name, sentence in FACTS.items() if name in figures]
    return "\n\n".join([run.sentence(), _table(head, row, _BESIDE_A_FLOOR, shown), "\n".join(said)])


def _table(head: Sequence[str], row: str, meanings: Mapping[str, str], figures: Figures) -> str:
    """Of what was measured, in the order of the meanings."""
    lines = [" | ".join(head), " | ".join(["---"] + ["---:"] * (len(head) - 1))]
    lines += [
        f"{meaning} | {row.format_map(figures[name])}"
        for name, meaning in meanings.items()
        if name in figures
    ]
    return "\n".join(f"| {line} |" for line in lines)


# A page, and what goes between its marks.
PAGES: dict[str, Callable[[Figures, Run], str]] = {"README.md": summary, "docs/concepts/speed.md": details}


def with_block(text: str, content: str) -> str:
    """The text with this between its marks, whatever stood there."""
    pattern = re.compile(r"(<!-- bench: [^>]*-->\n).*?(<!-- end of bench -->)", re.DOTALL)
    replaced, count = pattern.subn(lambda found: f"{found[1]}{content}\n{found[2]}", text)
    if count != 1:
        raise ValueError(f"there are {count} places for figures of the benchmarks")
    return replaced


def locked_versions(lock: str, packages: Sequence[str]) -> dict[str, str]:
    """Of packages in a lock file, which writes their names small."""
    found = dict(re.findall(r"^([a-z0-9_.-]+)==([^\s;\\]+)", lock, re.MULTILINE))
    return {name: found[name.lower()] for name in packages}


def this_run() -> Run:
    versions = {"Python": platform.python_version(), "PostgreSQL": MAJOR_VERSION}
    versions |= locked_versions(_PEERS_LOCK.read_text(encoding="utf-8"), _PEER_PACKAGES)
    return Run(date.today(), platform.machine(), os.cpu_count() or 1, versions)  # noqa: DTZ011 (the reader's day)


def publish(figures: Figures) -> list[Path]:
    run = this_run()
    for name, render in PAGES.items():
        page = _ROOT / name
        page.write_text(with_block(page.read_text(encoding="utf-8"), render(figures, run)), encoding="utf-8")
    return [_ROOT / name for name in PAGES]
