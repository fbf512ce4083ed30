"""Reads history. New readings and folded ones look the same."""

from collections import defaultdict

import msgspec

from steward.asset_types.model import TelemetryProperty
from steward.assets.queries import ASSETS
from steward.kit.db.pool import Database
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId
from steward.telemetry import queries
from steward.telemetry.model import History, HistoryPoint, HistoryQuery, Window
from steward.telemetry.rules import history_window, key_history, point_from_row, requested_keys


async def read_history(
    db: Database, tenant: TenantId, asset_id: str, query: HistoryQuery, now: int
) -> History:
    history_window(query, now)
    about = await queries.series_of_asset(db, tenant, asset_id)
    if about is None:
        raise ASSETS.missing()
    properties = msgspec.convert(about["properties"], list[TelemetryProperty])
    keys = requested_keys(query, properties, about["keys"])
    window = history_window(query, now, len(set(keys).intersection(about["keys"])))
    by_key = {known.key: known for known in properties}
    found: dict[str, list[HistoryPoint]] = {}
    if about["series"] is not None:
        found = await _points(db, tenant, about["series"], about["keys"], set(keys), window=window, now=now)
    return History(
        asset_id=asset_id,
        from_=window.start,
        to=window.end,
        bucket_seconds=window.bucket_seconds,
        series=[key_history(key, by_key.get(key), found.get(key, [])) for key in keys],
    )


async def _points(
    db: Database, tenant: TenantId, series: int, known: list[str], keys: set[str], *, window: Window, now: int
) -> dict[str, list[HistoryPoint]]:
    """By key. Positions count from one, as PostgreSQL's arrays do."""
    positions = [number for number, key in enumerate(known, start=1) if key in keys]
    rows = await queries.read_history(db, tenant, series, positions, window, now)
    found: dict[str, list[HistoryPoint]] = defaultdict(list)
    time_slice = TimeSlice()
    for row in rows:
        found[known[row[0] - 1]].append(point_from_row(row[1:]))
        if time_slice.expired:
            await time_slice.yield_control()
    return found
