"""Where readings of assets are stored: an asset's series and its layout.

Known layouts are cached in memory.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from steward.kit.db.pool import Transaction
from steward.kit.security.caller import TenantId
from steward.telemetry import queries
from steward.telemetry.series import SeriesLayout, Values, extended

_MAX_KNOWN = 50_000


class LayoutRequest(msgspec.Struct, frozen=True):
    """An asset whose row is locked, with its `series` and `layout`, and the readings that it is to store."""

    tenant: TenantId
    asset_id: str
    asset_type_id: str
    series: int | None
    layout: int | None
    readings: Sequence[Values]


class Place(NamedTuple):
    series: int
    layout: SeriesLayout


class Layouts:
    """Where the readings of assets are stored. The meaning of a number never changes, so it may be cached."""

    def __init__(self) -> None:
        self._known: dict[int, SeriesLayout] = {}

    def known(self, number: int | None) -> SeriesLayout | None:
        return None if number is None else self._known.get(number)

    async def of(self, tx: Transaction, wanted: Sequence[LayoutRequest]) -> list[Place]:
        """In the given order.

        Each asset is named once, and `tx` holds the lock on its row. `series.row` refuses readings whose keys
        don't fit.
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
            numbers = await queries.layout_numbers(
                tx, {(wanted[index].tenant, wider[index]) for index in changed}
            )
            new = [index for index in changed if wanted[index].series is None]
            for index, number in zip(new, await queries.new_series_numbers(tx, len(new)), strict=True):
                series[index] = number
            rows = [
                (one.tenant, one.asset_id, series[index], numbers[one.tenant, wider[index]])
                for index, one in ((index, wanted[index]) for index in changed)
            ]
            await queries.set_series(tx, rows)
        return list(map(Place, series, wider))

    async def _bases(self, tx: Transaction, wanted: Sequence[LayoutRequest]) -> list[SeriesLayout]:
        """The layouts of assets; an asset that reports for the first time starts with the keys of its type."""
        unknown = {
            (one.tenant, one.layout)
            for one in wanted
            if one.layout is not None and one.layout not in self._known
        }
        if unknown:
            if len(self._known) > _MAX_KNOWN:
                self._known.clear()
            self._known |= await queries.stored_layouts(
                tx, {(one.tenant, one.layout) for one in wanted if one.layout is not None}
            )
        types = await queries.type_layouts(
            tx, {(one.tenant, one.asset_type_id) for one in wanted if one.layout is None}
        )
        return [
            types[one.tenant, one.asset_type_id] if one.layout is None else self._known[one.layout]
            for one in wanted
        ]
