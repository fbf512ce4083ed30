"""Reads readings in slices: each is a short query for one asset, and nothing is held in between."""

from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial

from steward.assets.queries import ASSETS
from steward.kit.db.pool import Database
from steward.kit.records import records
from steward.kit.security.caller import TenantId
from steward.locations import queries as locations
from steward.telemetry.raw import queries
from steward.telemetry.raw.model import RawExportQuery, RawReading, RawSpan, Series, StoredReading
from steward.telemetry.raw.rules import merged, raw_reading, raw_span, requested, resumption

# Formats readings as lines of a file; for some keys, or for all.
Lines = Callable[[Series, Iterable[StoredReading], frozenset[str] | None], bytes]

_ASSETS_AT_ONCE = 100
# Small results of several assets are sent together.
_BYTES_AT_ONCE = 64 * 1024


async def readings(
    db: Database,
    tenant: TenantId,
    asset_id: str,
    span: RawSpan,
    wanted: frozenset[str] | None,
    limit: int,
    *,
    now: int,
) -> tuple[list[RawReading], bool]:
    """So many readings of one asset, oldest first; and whether there are more."""
    series = await queries.series_of(db, tenant, asset_id)
    if series is None:
        await records.get(db, ASSETS, tenant, asset_id)
        return [], False
    found: list[RawReading] = []
    while span.start < span.end and len(found) <= limit:
        stored, end = await _slice(db, tenant, series, span, now)
        shown = (raw_reading(series, one, wanted) for one in stored)
        found += [one for one in shown if one is not None]
        span = span._replace(start=end)
    return found[:limit], len(found) > limit


async def export(
    db: Database, tenant: TenantId, query: RawExportQuery, lines: Lines, *, now: int
) -> AsyncGenerator[bytes]:
    """By asset and time, in pieces that are made on demand."""
    span = raw_span(query.from_, query.to, now, query.arrived_from)
    wanted = requested(query.key)
    first, second = resumption(query)
    place = query.location_id
    within = None if place is None else await locations.within(db, tenant, place)
    chosen = (query.asset_id, query.asset_type_id, within)
    more = partial(queries.next_series, db, tenant, since=span.start, chosen=chosen, limit=_ASSETS_AT_ONCE)
    piece = b""
    while assets := await more(first):
        for series in assets:
            rest = span._replace(start=max(span.start, second)) if series.asset_id == first else span
            while rest.start < rest.end:
                stored, end = await _slice(db, tenant, series, rest, now)
                rest = rest._replace(start=end)
                piece += lines(series, stored, wanted)
                if len(piece) >= _BYTES_AT_ONCE:
                    yield piece
                    piece = b""
        # The position right after the last of them.
        first, second = f"{assets[-1].asset_id} ", 0
    yield piece


async def _slice(
    db: Database, tenant: TenantId, series: Series, span: RawSpan, now: int
) -> tuple[list[StoredReading], int]:
    """The next readings of an asset, and the second after them.

    Recent ones are read first: a fold that ends in between moves them to where the next query looks, and
    duplicates are removed.
    """
    fresh, fresh_end = await queries.fresh(db, tenant, series.number, span, now)
    folded, end = await queries.folded(db, tenant, series, span._replace(end=fresh_end))
    return merged(folded, (one for one in fresh if one.at < end)), end
