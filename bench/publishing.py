"""The figures of a whole run, written between two marks in README and docs. Rendering is pure; the same figures give the same text."""

import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from bench.facts import FACTS
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

Figures = Mapping[str, Mapping[str, Any]]


class NoBlockError(Exception):
    """A page has no place for the figures."""


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
    rows = [
        (
            meaning,
            f"{one['ours']:,}",
            f"{one['ratio']:.0%}",
            f"{one['peer']:,}",
            f"{one['times_peer']:.1f}",
        )
        for name, meaning in _BESIDE_A_PEER.items()
        if (one := figures.get(name)) is not None and "peer" in one
    ]
    headings = ("a second", "Steward", "of the floor", "a team's own", "times as many")
    return "\n\n".join([run.sentence(), _table(headings, rows)])


def details(figures: Figures, run: Run) -> str:
    """Everything that a whole run measures."""
    rows = [
        (
            meaning,
            f"{one['ours']:,}",
            f"{one['floor']:,}",
            f"{one['ratio']:.0%}",
            *((f"{one['peer']:,}", f"{one['times_peer']:.1f}") if "peer" in one else ("", "")),
            f"{one['cpu_us']:,.0f}",
            f"{one['postgres_us']:,.0f}",
        )
        for name, meaning in _BESIDE_A_FLOOR.items()
        if (one := figures.get(name)) is not None
    ]
    headings = ("a second", "ours", "floor", "share", "peer", "times", "CPU µs", "PostgreSQL µs")
    said = [f"- {sentence(figures[name])}" for name, sentence in FACTS.items() if name in figures]
    return "\n\n".join([run.sentence(), _table(headings, rows), "\n".join(said)])


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ("---", *("---:" for _ in headings[1:])), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


# A page, and what goes between its marks.
PAGES: dict[str, Callable[[Figures, Run], str]] = {"README.md": summary, "docs/concepts/speed.md": details}


def with_block(text: str, content: str) -> str:
    """The text with this between its marks, whatever stood there."""
    pattern = re.compile(r"(<!-- bench: [^>]*-->\n).*?(<!-- end of bench -->)", re.DOTALL)
    replaced, count = pattern.subn(lambda found: f"{found[1]}{content}\n{found[2]}", text)
    if count != 1:
        raise NoBlockError(f"there are {count} places for figures of the benchmarks")
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
