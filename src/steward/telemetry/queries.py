from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from steward.kit.caller import TenantId
from steward.kit.db import Database, Transaction
from steward.kit.sql import sql
from steward.telemetry.series import Layout, Memory, Values, extended, layout

_BATCH = (
    "the readings of several tenants are written in one transaction, each row by its tenant and identifier"
)

_KEYS = sql(
    """SELECT s.organization_id, s.asset_id, s.keys
       FROM unnest($1::text[], $2::text[]) w (organization_id, asset_id)
       JOIN telemetry_series s ON s.organization_id = w.organization_id AND s.asset_id = w.asset_id""",
    across=_BATCH,
)
_PROPERTIES = sql(
    """SELECT t.organization_id, t.id, t.properties
       FROM (SELECT DISTINCT organization_id, id FROM unnest($1::text[], $2::text[]) w (organization_id, id)) w
       JOIN asset_types t ON t.organization_id = w.organization_id AND t.id = w.id""",
    across=_BATCH,
)
_NUMBERS = sql("SELECT nextval('telemetry_series_numbers')::integer FROM generate_series(1, $1::integer)")
_BEGIN = sql(
    """INSERT INTO telemetry_series AS t (organization_id, asset_id, series, keys)
       SELECT w.organization_id, w.asset_id, w.series, ARRAY(SELECT jsonb_array_elements_text(w.keys::jsonb))
       FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[]) w (organization_id, asset_id, series, keys)""",
    across=_BATCH,
)
_NAME = sql(
    """UPDATE assets AS a SET series = w.series
       FROM unnest($1::text[], $2::text[], $3::integer[]) w (organization_id, asset_id, series)
       WHERE a.organization_id = w.organization_id AND a.id = w.asset_id""",
    across=_BATCH,
)
_APPEND = sql(
    """UPDATE telemetry_series AS s SET keys = ARRAY(SELECT jsonb_array_elements_text(w.keys::jsonb))
       FROM unnest($1::text[], $2::text[], $3::text[]) w (organization_id, asset_id, keys)
       WHERE s.organization_id = w.organization_id AND s.asset_id = w.asset_id""",
    across=_BATCH,
)


class Wanted(msgspec.Struct, frozen=True):
    """An asset whose row is locked, and what it is about to have stored; `series` as its row has it."""

    tenant: TenantId
    asset_id: str
    asset_type_id: str
    series: int | None
    readings: Sequence[Values]


class Place(NamedTuple):
    series: int
    layout: Layout


class Layouts:
    """Where the readings of assets go; remembers it for this process."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory or Memory()

    async def of(self, tx: Transaction, wanted: Sequence[Wanted]) -> list[Place]:
        """In the order asked. Each asset is named once, and `tx` holds the lock on its row.

        `series.row` refuses the readings whose keys found no room.
        """
        found = [self._remembered(one) for one in wanted]
        lacking = [one for one, place in zip(wanted, found, strict=True) if place is None]
        if not lacking:
            return [place for place in found if place is not None]
        begun = await _begin(tx, [one for one in lacking if one.series is None])
        known = await _bring_up(tx, [one for one in lacking if one.series is not None])
        looked_up = begun | known

        async def remember() -> None:
            # What wasn't committed must not be remembered: another process may put another key in the same position.
            for place in looked_up.values():
                self._memory.keep(*place)

        tx.after_commit(remember)
        return [
            place or looked_up[one.tenant, one.asset_id] for one, place in zip(wanted, found, strict=True)
        ]

    def _remembered(self, one: Wanted) -> Place | None:
        if one.series is None or (known := self._memory.get(one.series)) is None:
            return None
        return Place(one.series, known) if all(map(known.holds, one.readings)) else None


_Places = dict[tuple[str, str], Place]


async def _begin(tx: Database, new: list[Wanted]) -> _Places:
    """Series for assets that report for the first time. They begin with what their type says that they report."""
    if not new:
        return {}
    tenants, ids = [one.tenant for one in new], [one.asset_id for one in new]
    types = {
        (row[0], row[1]): layout(known["key"] for known in row[2])
        for row in await tx.fetch(_PROPERTIES, tenants, [one.asset_type_id for one in new])
    }
    numbers = [row[0] for row in await tx.fetch(_NUMBERS, len(new))]
    layouts = [extended(types[one.tenant, one.asset_type_id], one.readings) for one in new]
    await tx.execute(_BEGIN, tenants, ids, numbers, [_json(each) for each in layouts])
    await tx.execute(_NAME, tenants, ids, numbers)
    made = map(Place, numbers, layouts)
    return dict(zip(zip(tenants, ids, strict=True), made, strict=True))


async def _bring_up(tx: Database, known: list[Wanted]) -> _Places:
    """Series that this process doesn't know, or whose readings have keys that it doesn't know."""
    if not known:
        return {}
    rows = await tx.fetch(_KEYS, [one.tenant for one in known], [one.asset_id for one in known])
    stored = {(row[0], row[1]): layout(row[2]) for row in rows}
    found: _Places = {}
    grown: list[tuple[str, str, str]] = []
    for one in known:
        before = stored[one.tenant, one.asset_id]
        after = extended(before, one.readings)
        found[one.tenant, one.asset_id] = Place(one.series or 0, after)
        if after is not before:
            grown.append((one.tenant, one.asset_id, _json(after)))
    if grown:
        await tx.execute(_APPEND, *map(list, zip(*grown, strict=True)))
    return found


def _json(known: Layout) -> str:
    return msgspec.json.encode(known.keys).decode()
