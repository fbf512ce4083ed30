"""The span of a query, and how readings from several pieces become one. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import zip_longest

import msgspec

from steward.kit.db.partitions import HOUR_SECONDS
from steward.kit.domain.csv_rows import as_text
from steward.kit.domain.problems import Invalid
from steward.kit.domain.ranges import check_range
from steward.telemetry.model import MAX_KEYS
from steward.telemetry.raw.model import RawExportQuery, RawReading, RawSpan, Series, StoredReading

# A reading becomes visible a little after its arrival by the database's clock: those in flight count as well.
_ARRIVAL_SLACK_SECONDS = 120

CSV_HEAD = b"assetId,timestamp,key,value\r\n"


def raw_span(start: int | None, end: int | None, now: int, arrived_from: int | None = None) -> RawSpan:
    # Until now includes the present second, and devices whose clocks are a little ahead of ours.
    span = RawSpan(
        start or 0,
        now + HOUR_SECONDS if end is None else end,
        None if arrived_from is None else max(0, arrived_from - _ARRIVAL_SLACK_SECONDS) // HOUR_SECONDS,
    )
    check_range(span.start, span.end)
    return span


def requested(key: str | None) -> frozenset[str] | None:
    """None means all keys."""
    if key is None:
        return None
    keys = key.split(",")
    if len(keys) > MAX_KEYS or not all(keys):
        raise Invalid("key", f"must be keys with commas between them, {MAX_KEYS} at most")
    return frozenset(keys)


def resumption(query: RawExportQuery) -> tuple[str, int]:
    """The asset and the second that a stream begins with."""
    if query.resume_at is None:
        return "", 0
    asset_id, _, timestamp = query.resume_at.rpartition(":")
    if not asset_id or not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
        raise Invalid("resumeAt", "must be the assetId and the timestamp of a line with a colon between them")
    return asset_id, int(timestamp)


def merged(stored: Iterable[StoredReading], fresh: Iterable[StoredReading]) -> list[StoredReading]:
    """In order of time.

    For the same second, the later reading wins value by value; so `fresh` must be in order of arrival.
    """
    by_second: dict[int, Sequence[float | None]] = dict(stored)
    for at, values in fresh:
        known = by_second.get(at)
        by_second[at] = (
            values
            if known is None
            else [old if new is None else new for old, new in zip_longest(known, values)]
        )
    return [StoredReading(at, by_second[at]) for at in sorted(by_second)]


def raw_reading(series: Series, reading: StoredReading, wanted: frozenset[str] | None) -> RawReading | None:
    """None if it holds no wanted value."""
    values = {
        key: value
        for key, value in zip(series.keys, reading.values, strict=False)
        if value is not None and (wanted is None or key in wanted)
    }
    return RawReading(reading.at, values) if values else None


def csv_lines(series: Series, readings: Iterable[StoredReading], wanted: frozenset[str] | None) -> bytes:
    """A line for each value."""
    cells = [_cell(key) if wanted is None or key in wanted else None for key in series.keys]
    lines = [
        f"{series.asset_id},{at},{cell},{value!r}\r\n"
        for at, values in readings
        for cell, value in zip(cells, values, strict=False)
        if value is not None and cell is not None
    ]
    return "".join(lines).encode()


def ndjson_lines(series: Series, readings: Iterable[StoredReading], wanted: frozenset[str] | None) -> bytes:
    """A line for each reading."""
    names = [
        msgspec.json.encode(key).decode() if wanted is None or key in wanted else None for key in series.keys
    ]
    lines = []
    for at, values in readings:
        pairs = [
            f"{name}:{value!r}"
            for name, value in zip(names, values, strict=False)
            if value is not None and name is not None
        ]
        if pairs:
            lines.append(
                f'{{"assetId":"{series.asset_id}","timestamp":{at},"values":{{{",".join(pairs)}}}}}\n'
            )
    return "".join(lines).encode()


def _cell(text: str) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([as_text(text)])
    return line.getvalue()
