"""What the figures look like: a table for people, JSON for programs."""

import time
from pathlib import Path
from typing import Any

import msgspec

from bench.rounds import OURS, PEER, Figures, Result

RESULTS = Path(__file__).with_name("results")
_LATEST = RESULTS / "latest.json"

_HEADINGS = ("scenario", "side", "req/s", "min-max", "p50 ms", "p95 ms", "p99 ms", "CPU µs", "PG µs", "ratio")
_WIDTHS = (10, 6, 8, 15, 8, 8, 8, 8, 8, 7)


def _line(cells: tuple[str, ...]) -> str:
    left, right = cells[:2], cells[2:]
    padded = [cell.ljust(width) for cell, width in zip(left, _WIDTHS, strict=False)]
    padded += [cell.rjust(width) for cell, width in zip(right, _WIDTHS[2:], strict=True)]
    return " ".join(padded)


def _side(name: str, side: str, figures: Figures, ratio: str) -> str:
    low, high = figures.spread
    latencies = (f"{value:.2f}" for value in (figures.p50, figures.p95, figures.p99))
    costs = (f"{value:.0f}" for value in (figures.cpu_us, figures.postgres_us))
    rates = (f"{figures.per_second:,.0f}", f"{low:,.0f}-{high:,.0f}")
    return _line((name, side, *rates, *latencies, *costs, ratio))


def heading() -> str:
    return _line(_HEADINGS)


def table_rows(name: str, result: Result) -> str:
    """A line for each side; the last column is what share of the floor ours is, and how many times the peer."""
    beside = {OURS: f"{result.ratio:.1%}"}
    if result.times_peer is not None:
        beside[PEER] = f"1/{result.times_peer:.1f}"
    lines = [
        _side(name if side == OURS else "", side, figures, beside.get(side, ""))
        for side, figures in result.sides.items()
    ]
    return "\n".join(lines)


def as_json(result: Result) -> dict[str, Any]:
    """Ours under plain names; those of the others say whose they are."""
    shown: dict[str, Any] = {side: round(figures.per_second) for side, figures in result.sides.items()}
    shown["ratio"] = round(result.ratio, 3)
    if result.times_peer is not None:
        shown["times_peer"] = round(result.times_peer, 2)
    for side, figures in result.sides.items():
        whose = "" if side == OURS else f"{side}_"
        shown |= {f"{whose}{name}": value for name, value in _details(figures).items()}
    return shown


def _details(figures: Figures) -> dict[str, Any]:
    return {
        "p50": round(figures.p50, 2),
        "p95": round(figures.p95, 2),
        "p99": round(figures.p99, 2),
        "cpu_us": round(figures.cpu_us, 1),
        "postgres_us": round(figures.postgres_us, 1),
        "spread": [round(value) for value in figures.spread],
    }


def shown(name: str, result: Result) -> dict[str, Any]:
    """Prints the table of a scenario; returns its figures."""
    print(heading())
    print(table_rows(name, result), flush=True)
    return as_json(result)


def read_figures() -> dict[str, Any]:
    return msgspec.json.decode(_LATEST.read_bytes()) if _LATEST.exists() else {}


def write_figures(figures: dict[str, Any]) -> Path:
    """A scenario that did not run today keeps what it had: each ratio was measured within one run."""
    now = int(time.time())
    known = read_figures() | {name: {**found, "measured": now} for name, found in figures.items()}
    RESULTS.mkdir(exist_ok=True)
    _LATEST.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n")
    return _LATEST


def keep(figures: dict[str, Any], *, unwritten: bool) -> None:
    """Prints figures, and writes them to the results unless told otherwise."""
    for name, found in figures.items():
        print(name, found, flush=True)
    if not unwritten:
        print(f"written to {write_figures(figures)}")
