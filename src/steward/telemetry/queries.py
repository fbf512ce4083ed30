from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from steward.kit.db.advisory_locks import TELEMETRY_HISTORY
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.partitions import DAY_SECONDS, HOUR_SECONDS, Partitioning, first_hour, register_partitions
from steward.kit.db.pool import Database, Transaction
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.telemetry.series import SeriesLayout, Values, extended, layout

# Readings as they arrive; then the hours that they are folded into, which the fold drops by itself.
register_partitions(
    "telemetry_recent", Partitioning("arrived", first_hour, HOUR_SECONDS, ahead=48, name_format="%Y%m%d%H")
)
register_partitions(
    "telemetry_hours", Partitioning("hour", first_hour, 7 * DAY_SECONDS, ahead=2, name_format="%Y%m%d")
)

_BATCH = (
    "the readings of several tenants are written in one transaction, each row by its tenant and identifier"
)
_MAX_REMEMBERED = 50_000

_TRY_LOCK = sql("SELECT pg_try_advisory_lock($1::bigint)")
_HOURS_WITHOUT_PARTITION = sql("SELECT DISTINCT arrived FROM telemetry_recent_default ORDER BY arrived")
# Readings are read up to the hour after this one.
_ARRIVE_NOW = sql(
    "UPDATE telemetry_recent SET arrived = $1::integer WHERE arrived > $1::integer + 1",
    across="the clock was ahead for every tenant's devices",
)
_KEYS = sql(
    """SELECT l.layout, l.keys
       FROM unnest($1::text[], $2::integer[]) w (organization_id, layout)
       JOIN telemetry_layouts l ON l.organization_id = w.organization_id AND l.layout = w.layout""",
    across=_BATCH,
)
_PROPERTIES = sql(
    """SELECT t.organization_id, t.id, t.properties
       FROM unnest($1::text[], $2::text[]) w (organization_id, id)
       JOIN asset_types t ON t.organization_id = w.organization_id AND t.id = w.id""",
    across=_BATCH,
)
_SERIES_NUMBERS = sql(
    "SELECT nextval('telemetry_series_numbers')::integer FROM generate_series(1, $1::integer)"
)
_LAYOUT_NUMBERS = sql(
    "SELECT nextval('telemetry_layout_numbers')::integer FROM generate_series(1, $1::integer)"
)
_ADD = sql(
    """INSERT INTO telemetry_layouts AS t (organization_id, layout, keys, digest)
       SELECT w.organization_id, w.layout, ARRAY(SELECT jsonb_array_elements_text(w.keys::jsonb)), w.digest
       FROM unnest($1::text[], $2::integer[], $3::text[], $4::bytea[]) w (organization_id, layout, keys, digest)
       ON CONFLICT (organization_id, digest) DO NOTHING""",
    across=_BATCH,
)
_FIND = sql(
    """SELECT l.organization_id, l.digest, l.layout
       FROM unnest($1::text[], $2::bytea[]) w (organization_id, digest)
       JOIN telemetry_layouts l ON l.organization_id = w.organization_id AND l.digest = w.digest""",
    across=_BATCH,
)
_NAME = sql(
    """UPDATE assets AS a SET series = w.series, layout = w.layout
       FROM unnest($1::text[], $2::text[], $3::integer[], $4::integer[]) w (organization_id, asset_id, series, layout)
       WHERE a.organization_id = w.organization_id AND a.id = w.asset_id""",
    across=_BATCH,
)


class LayoutRequest(msgspec.Struct, frozen=True):
    """An asset whose row is locked, and what it is about to have stored; `series` and `layout` as its row has them."""

    tenant: TenantId
    asset_id: str
    asset_type_id: str
    series: int | None
    layout: int | None
    readings: Sequence[Values]


class Place(NamedTuple):
    series: int
    layout: SeriesLayout


_Owned = tuple[TenantId, SeriesLayout]


class Layouts:
    """Where the readings of assets go. What a number stands for never changes, so it may be remembered."""

    def __init__(self) -> None:
        self._known: dict[int, SeriesLayout] = {}

    def known(self, number: int | None) -> SeriesLayout | None:
        return None if number is None else self._known.get(number)

    async def of(self, tx: Transaction, wanted: Sequence[LayoutRequest]) -> list[Place]:
        """In the order asked. Each asset is named once, and `tx` holds the lock on its row.

        `series.row` refuses the readings whose keys found no room.
        """
        bases = await self._bases(tx, wanted)
        wider = [extended(base, one.readings) for base, one in zip(bases, wanted, strict=True)]
        changed = [
            index
            for index, one in enumerate(wanted)
            if one.series is None or wider[index] is not bases[index]
        ]
        series = [one.series or 0 for one in wanted]
        if changed:
            numbers = await _numbers(tx, {(wanted[index].tenant, wider[index]) for index in changed})
            new = [index for index in changed if wanted[index].series is None]
            for index, row in zip(new, await tx.fetch(_SERIES_NUMBERS, len(new)), strict=True):
                series[index] = row[0]
            rows = [
                (one.tenant, one.asset_id, series[index], numbers[one.tenant, wider[index]])
                for index, one in ((index, wanted[index]) for index in changed)
            ]
            await tx.execute(_NAME, *map(list, zip(*rows, strict=True)))
        return list(map(Place, series, wider))

    async def _bases(self, tx: Transaction, wanted: Sequence[LayoutRequest]) -> list[SeriesLayout]:
        """The layouts that assets have; those that report for the first time begin with what their type says."""
        unknown = {
            (one.tenant, one.layout)
            for one in wanted
            if one.layout is not None and one.layout not in self._known
        }
        if unknown:
            if len(self._known) > _MAX_REMEMBERED:
                self._known.clear()
            self._known |= await _stored(
                tx, {(one.tenant, one.layout) for one in wanted if one.layout is not None}
            )
        types = await _types(tx, {(one.tenant, one.asset_type_id) for one in wanted if one.layout is None})
        return [
            types[one.tenant, one.asset_type_id] if one.layout is None else self._known[one.layout]
            for one in wanted
        ]


async def _stored(tx: Database, wanted: Iterable[tuple[TenantId, int]]) -> dict[int, SeriesLayout]:
    rows = await tx.fetch(_KEYS, *map(list, zip(*wanted, strict=True)))
    return {row[0]: layout(row[1]) for row in rows}


async def _types(tx: Database, wanted: set[tuple[TenantId, str]]) -> Mapping[tuple[str, str], SeriesLayout]:
    if not wanted:
        return {}
    rows = await tx.fetch(_PROPERTIES, *map(list, zip(*wanted, strict=True)))
    return {(row[0], row[1]): layout(known["key"] for known in row[2]) for row in rows}


async def _numbers(tx: Database, wanted: set[_Owned]) -> Mapping[_Owned, int]:
    """Of layouts that may be new to their organization. In one order, so that no two wait for each other's."""
    owned = sorted(wanted, key=lambda one: (one[0], one[1].digest))
    tenants, digests = [tenant for tenant, _ in owned], [each.digest for _, each in owned]
    found = await _found(tx, tenants, digests)
    if len(found) < len(owned):
        fresh = [row[0] for row in await tx.fetch(_LAYOUT_NUMBERS, len(owned))]
        keys = [msgspec.json.encode(each.keys).decode() for _, each in owned]
        await tx.execute(_ADD, tenants, fresh, keys, digests)
        found = await _found(tx, tenants, digests)
    return {(tenant, each): found[tenant, each.digest] for tenant, each in owned}


async def _found(
    tx: Database, tenants: Sequence[str], digests: Sequence[bytes]
) -> Mapping[tuple[str, bytes], int]:
    return {(row[0], row[1]): row[2] for row in await tx.fetch(_FIND, tenants, digests)}


async def try_lock_history(connection: DatabaseConnection) -> bool:
    """Whether this connection may now fold and drop; the lock ends with it."""
    return bool((await connection.run(_TRY_LOCK, TELEMETRY_HISTORY))[0][0])


async def hours_without_partition(connection: DatabaseConnection) -> list[int]:
    return [row[0] for row in await connection.run(_HOURS_WITHOUT_PARTITION)]


async def arrive_now(db: Database, now: int) -> None:
    """Readings that arrived by a clock that was ahead would not be shown before: they arrived in this hour."""
    await db.execute(_ARRIVE_NOW, now // HOUR_SECONDS)
