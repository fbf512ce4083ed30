from collections.abc import Iterable, Sequence

from steward.asset_types.model import PropertyType, TelemetryProperty
from steward.kit.domain.problems import Invalid
from steward.kit.domain.ranges import check_range
from steward.telemetry.model import (
    DAY_SECONDS,
    LARGE_MEASURE,
    MAX_KEYS,
    MAX_POINTS,
    HistoryPoint,
    HistoryQuery,
    KeyHistory,
    Window,
)


def history_window(query: HistoryQuery, now: int, keys: int = 1) -> Window:
    """For so many keys; few keys may have more points each than many."""
    # Until now includes the present second.
    end = now + 1 if query.to is None else query.to
    start = max(0, end - DAY_SECONDS) if query.from_ is None else query.from_
    check_range(start, end)
    return Window(start, end, -(-(end - start) // min(query.resolution, MAX_POINTS // max(1, keys))))


def requested_keys(
    query: HistoryQuery, properties: Iterable[TelemetryProperty], reported: Iterable[str]
) -> list[str]:
    """By default the keys of the type, and then others that the asset has reported."""
    if query.key is None:
        return list(dict.fromkeys([*(known.key for known in properties), *reported]))
    keys = query.key.split(",")
    if len(keys) > MAX_KEYS:
        raise Invalid("key", f"must be at most {MAX_KEYS} keys")
    if not all(keys):
        raise Invalid("key", "must be keys with commas between them")
    return list(dict.fromkeys(keys))


def key_history(key: str, known: TelemetryProperty | None, points: list[HistoryPoint]) -> KeyHistory:
    """`known` is what the asset type says of the key."""
    if known is None:
        return KeyHistory(key, key, "", PropertyType.FLOAT, points)
    return KeyHistory(key, known.name, known.unit, known.type, points)


def point_from_row(row: Sequence[float]) -> HistoryPoint:
    """From a row `timestamp, min, max, sum, sum of the large ones in their unit, count`."""
    timestamp, low, high, total, large, count = row
    average = total / count + large / count * LARGE_MEASURE
    # Rounding must not take it beyond the values that it is made of.
    return HistoryPoint(int(timestamp), low, high, min(max(average, low), high), int(count))
