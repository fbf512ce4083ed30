"""What the figures look like: a table for people, JSON for programs."""

from pathlib import Path
from typing import Any

import msgspec

from bench.rounds import Figures, Result

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
    ours = _side(name, "ours", result.ours, f"{result.ratio:.1%}")
    return f"{ours}\n{_side('', 'floor', result.floor, '')}"


def as_json(result: Result) -> dict[str, Any]:
    ours, floor = result.ours, result.floor
    return {
        "ours": round(ours.per_second),
        "floor": round(floor.per_second),
        "ratio": round(result.ratio, 3),
        "p50": round(ours.p50, 2),
        "p95": round(ours.p95, 2),
        "p99": round(ours.p99, 2),
        "cpu_us": round(ours.cpu_us, 1),
        "postgres_us": round(ours.postgres_us, 1),
        "spread": [round(value) for value in ours.spread],
        "floor_spread": [round(value) for value in floor.spread],
        "floor_p50": round(floor.p50, 2),
        "floor_p95": round(floor.p95, 2),
        "floor_p99": round(floor.p99, 2),
        "floor_cpu_us": round(floor.cpu_us, 1),
        "floor_postgres_us": round(floor.postgres_us, 1),
    }


def write_latest(results: dict[str, Result]) -> Path:
    return write_figures({name: as_json(result) for name, result in results.items()})


def write_figures(figures: dict[str, Any]) -> Path:
    """A scenario that did not run today keeps what it had: each ratio was measured within one run."""
    known = msgspec.json.decode(_LATEST.read_bytes()) if _LATEST.exists() else {}
    known |= figures
    RESULTS.mkdir(exist_ok=True)
    _LATEST.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n")
    return _LATEST
