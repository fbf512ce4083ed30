"""Where readings of assets are stored: an asset's series and its layout.

Known layouts are cached in memory.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from steward.kit.db.pool import Transaction
from steward.kit.db.sql import Row
from steward.telemetry import queries
from steward.telemetry.series import SeriesLayout, Values, extended

_MAX_KNOWN = 50_000


class Place(NamedTuple):
    series: int
    layout: SeriesLayout


class Layouts:
    """Where the readings of assets are stored. The meaning of a number never changes, so it may be cached."""

    def __init__(self) -> None:
        self._known: dict[int, SeriesLayout] = {}

    async def places(
        self, tx: Transaction, assets: Sequence[Row], readings: Sequence[Sequence[Values]]
    ) -> list[Place]:
        """In the given order: rows of assets with type, series and layout, and what each is about to store.

        Each asset is named once, and `tx` holds the lock on its row. `series.row` refuses readings whose keys
        don't fit.
        """
        bases = await self._bases(tx, assets)
        wider = [
            base if all(map(base.holds, values)) else extended(base, values)
            for base, values in zip(bases, readings, strict=True)
        ]
        series = [asset["series"] for asset in assets]
        changed = [
            (index, asset["organization_id"], asset["id"], wider[index])
            for index, asset in enumerate(assets)
            if series[index] is None or wider[index] is not bases[index]
        ]
        if changed:
            numbers = await queries.layout_numbers(tx, {(tenant, layout) for _, tenant, _, layout in changed})
            new = [index for index, *_ in changed if series[index] is None]
            for index, number in zip(new, await queries.new_series_numbers(tx, len(new)), strict=True):
                series[index] = number
            rows = [
                (tenant, id, series[index], numbers[tenant, layout]) for index, tenant, id, layout in changed
            ]
            await queries.set_series(tx, rows)
        return list(map(Place, series, wider))

    async def _bases(self, tx: Transaction, assets: Sequence[Row]) -> list[SeriesLayout]:
        """The layouts of assets; an asset that reports for the first time starts with the keys of its type."""
        with suppress(KeyError):
            return [self._known[asset["layout"]] for asset in assets]
        numbers = {
            (asset["organization_id"], asset["layout"]) for asset in assets if asset["layout"] is not None
        }
        if not self._known.keys() >= {number for _, number in numbers}:
            if len(self._known) > _MAX_KNOWN:
                self._known.clear()
            self._known |= await queries.stored_layouts(tx, numbers)
        first = {
            (asset["organization_id"], asset["asset_type_id"]) for asset in assets if asset["layout"] is None
        }
        types = await queries.type_layouts(tx, first)
        return [
            types[asset["organization_id"], asset["asset_type_id"]]
            if asset["layout"] is None
            else self._known[asset["layout"]]
            for asset in assets
        ]
