"""Pure: a chart as `js/chart.js` draws it, of a history, rules and alerts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from steward.alert_rules.model import Severity
from steward.telemetry.model import History, HistoryPoint
from steward.web.asset_charts.queries import RaisedAlert, WatchingRule

_TONES: dict[str, str] = {Severity.CRITICAL: "red", Severity.WARNING: "amber"}
# As a fraction of the chart's height.
_VISIBLE = 0.1
Json = dict[str, Any]


def chart(
    history: History,
    rules: Iterable[WatchingRule],
    alerts: Iterable[RaisedAlert],
    *,
    silence: int,
) -> Json:
    """Of one key. After `silence` seconds without a reading the line is broken."""
    (series,) = history.series
    return {
        "kind": "line",
        "x": "time",
        "unit": series.unit,
        "series": list(_series(series.name, series.points, max(silence, 2 * history.bucket_seconds))),
        "lines": list(_lines(series.key, rules)),
        "spans": list(_spans(series.key, alerts, history.from_, history.to)),
    }


def _series(name: str, points: Sequence[HistoryPoint], gap: int) -> Iterator[Json]:
    """A point may stand for several readings: their extremes are drawn too, so that no peak is lost."""
    yield {"name": name, "points": _with_gaps(points, "average", gap)}
    if _spread(points):
        yield {"name": "Lowest", "points": _with_gaps(points, "min", gap)}
        yield {"name": "Highest", "points": _with_gaps(points, "max", gap)}


def _spread(points: Sequence[HistoryPoint]) -> bool:
    """Whether the extremes are anywhere far enough from each other to be seen."""
    if not points:
        return False
    height = max(point.max for point in points) - min(point.min for point in points)
    return any(point.max - point.min > height * _VISIBLE for point in points)


def _with_gaps(points: Sequence[HistoryPoint], field: str, gap: int) -> list[list[float | None]]:
    drawn: list[list[float | None]] = []
    before: HistoryPoint | None = None
    for point in points:
        if before is not None and point.timestamp - before.timestamp > gap:
            drawn.append([before.timestamp + 1, None])
        drawn.append([point.timestamp, round(getattr(point, field), 6)])
        before = point
    return drawn


def _lines(key: str, rules: Iterable[WatchingRule]) -> Iterator[Json]:
    for rule in rules:
        for condition in rule.conditions:
            if condition.key == key:
                yield {"name": rule.name, "value": float(condition.value), "tone": _TONES[rule.severity]}


def _spans(key: str, alerts: Iterable[RaisedAlert], start: int, end: int) -> Iterator[Json]:
    """Alerts without a value (no readings, or a deleted rule) are shown in every chart."""
    for alert in alerts:
        if not alert.conditions or any(condition.key == key for condition in alert.conditions):
            yield {
                "name": alert.name or "Alert",
                "from": max(alert.first_seen, start),
                "to": min(alert.cleared_at or end, end),
                "tone": _TONES[alert.severity],
            }
