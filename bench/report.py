"""What the figures look like: a table for people, JSON for programs."""

import time
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict

from bench.rounds import OURS, PEER, Result

RESULTS = Path(__file__).with_name("results")
_LATEST = RESULTS / "latest.json"

_ROW = "{:<10} {:<6} {:>8} {:>15} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}"
_HEADING = _ROW.format(
    "scenario", "side", "req/s", "min-max", "p50 ms", "p95 ms", "p99 ms", "CPU µs", "PG µs", "ratio"
)
# Digits of what has more of them than whole numbers.
_DIGITS = {"p50": 2, "p95": 2, "p99": 2, "cpu_us": 1, "postgres_us": 1}


def table_rows(name: str, result: Result) -> str:
    """A line for each side; the last column is what share of the floor ours is, and how many times the peer."""
    beside = {OURS: f"{result.ratio:.1%}"}
    if result.times_peer is not None:
        beside[PEER] = f"1/{result.times_peer:.1f}"
    lines = []
    for side, figures in result.sides.items():
        low, high = figures.spread
        rates = (f"{figures.per_second:,.0f}", f"{low:,.0f}-{high:,.0f}")
        latencies = (f"{value:.2f}" for value in (figures.p50, figures.p95, figures.p99))
        costs = (f"{value:.0f}" for value in (figures.cpu_us, figures.postgres_us))
        whose = name if side == OURS else ""
        lines.append(_ROW.format(whose, side, *rates, *latencies, *costs, beside.get(side, "")))
    return "\n".join(lines)


def as_json(result: Result) -> dict[str, Any]:
    """Ours under plain names; those of the others say whose they are."""
    shown: dict[str, Any] = {side: round(figures.per_second) for side, figures in result.sides.items()}
    shown["ratio"] = round(result.ratio, 3)
    if result.times_peer is not None:
        shown["times_peer"] = round(result.times_peer, 2)
    for side, figures in result.sides.items():
        whose = "" if side == OURS else f"{side}_"
        found = asdict(figures)
        shown |= {f"{whose}{name}": round(found[name], digits) for name, digits in _DIGITS.items()}
        shown[f"{whose}spread"] = [round(rate) for rate in figures.spread]
    return shown


def shown(name: str, result: Result) -> dict[str, Any]:
    """Prints the table of a scenario; returns its figures."""
    print(_HEADING)
    print(table_rows(name, result), flush=True)
    return as_json(result)


def keep(name: str, found: dict[str, Any], *, unwritten: bool) -> None:
    """Prints figures, and writes them to the results unless told otherwise; what is not measured today keeps what it had."""
    print(name, found, flush=True)
    if unwritten:
        return
    known = msgspec.json.decode(_LATEST.read_bytes()) if _LATEST.exists() else {}
    known[name] = {**found, "measured": int(time.time())}
    RESULTS.mkdir(exist_ok=True)
    _LATEST.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n")
    print(f"written to {_LATEST}")
