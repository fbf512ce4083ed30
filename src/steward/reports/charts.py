"""Pure: a report's rows as a chart, in the format of the script that draws it."""

from typing import Any

from steward.kit.domain.fields import Priority
from steward.reports.model import Draw, ReportRow

_SECONDS_PER_HOUR = 3600
AGES = ("Under a day", "Under a week", "Under a month", "Under 3 months", "Older")


def attainment(rows: list[ReportRow]) -> dict[str, Any]:
    """A line for each priority, over months."""
    months = sorted({row.cells[0] for row in rows})
    by_key = {row.cells[:2]: row.cells[4] for row in rows}
    series = [
        {"name": str(priority), "points": [_percent(by_key.get((month, priority))) for month in months]}
        for priority in reversed(Priority)
    ]
    return {"kind": "line", "x": months, "unit": "%", "min": 0, "max": 100, "series": series}


def response_and_repair(rows: list[ReportRow]) -> dict[str, Any]:
    ordered = _by_first_cell(rows)
    medians = (("To respond (median)", 3), ("To repair (median)", 5))
    series = [{"name": name, "points": [_hours(row.cells[at]) for row in ordered]} for name, at in medians]
    return {"kind": "bar", "x": [row.cells[0] for row in ordered], "unit": "h", "series": series}


def ages(rows: list[ReportRow]) -> dict[str, Any]:
    series = [{"name": row.cells[0], "points": list(row.cells[1:6])} for row in rows]
    return {"kind": "bar", "x": list(AGES), "stacked": True, "series": series}


def most(name: str, at: int, count: int) -> Draw:
    """A bar for each of the first rows, by the number in one of their cells."""

    def draw(rows: list[ReportRow]) -> dict[str, Any]:
        return _bars(name, rows[:count], [row.cells[at] for row in rows[:count]])

    return draw


def use(rows: list[ReportRow]) -> dict[str, Any]:
    shown = rows[:12]
    return {**_bars("Use", shown, [_percent(row.cells[3]) for row in shown]), "unit": "%"}


def per_day(name: str) -> Draw:
    def draw(rows: list[ReportRow]) -> dict[str, Any]:
        ordered = _by_first_cell(rows)
        return _bars(name, ordered, [row.cells[1] for row in ordered])

    return draw


def _bars(name: str, rows: list[ReportRow], points: list[Any]) -> dict[str, Any]:
    return {"kind": "bar", "x": [row.cells[0] for row in rows], "series": [{"name": name, "points": points}]}


def _by_first_cell(rows: list[ReportRow]) -> list[ReportRow]:
    """Months and days from left to right; tables have the newest first."""
    return sorted(rows, key=lambda row: str(row.cells[0]))


def _percent(part: float | None) -> float | None:
    return None if part is None else round(100 * part, 1)


def _hours(seconds: int | None) -> float | None:
    return None if seconds is None else round(seconds / _SECONDS_PER_HOUR, 1)
