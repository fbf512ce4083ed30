"""One transaction for a batch of readings: lock their assets and read how they are, decide, store.

The lock on an asset protects everything that readings, timers and changed rules do to it. Rules are read under it:
a changed rule is applied to its assets afterwards, and waits for this lock if a batch still uses the
old rule.
"""

from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter

from steward.alert_rules.rule_index import RuleIndex
from steward.alert_rules.state_machine import CompiledRule
from steward.ingest.devices.model import DeviceKey
from steward.ingest.devices.queries import device_from_row, lock_rows
from steward.ingest.model import Decision, Reading
from steward.ingest.queries import Columns, store
from steward.ingest.rules import apply_reading, values_if_nothing_else_changes
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Transaction
from steward.kit.db.sharding import by_shard
from steward.kit.db.sql import Row
from steward.kit.domain.problems import Invalid, NotFound, Problem
from steward.kit.runtime import clock
from steward.kit.runtime.time_slice import TimeSlice
from steward.telemetry.layouts import Layouts, Place
from steward.telemetry.series import Values
from steward.telemetry.series import row as series_row

RuleIndexes = TenantCache[RuleIndex]


class Store:
    def __init__(self, rule_indexes: RuleIndexes) -> None:
        self._rule_indexes = rule_indexes
        self._layouts = Layouts()

    async def take(self, tx: Transaction, readings: Sequence[Reading]) -> list[Problem | None]:
        """One entry for each reading: None where it is stored, or what is wrong with it."""
        outcomes: dict[int, Problem | None] = {}
        for group in await by_shard(tx, enumerate(readings), lambda numbered: numbered[1].tenant):
            taken = await self._take_together(tx, [reading for _, reading in group])
            outcomes |= zip((number for number, _ in group), taken, strict=True)
        return [outcomes[number] for number in range(len(readings))]

    async def _take_together(self, tx: Transaction, readings: Sequence[Reading]) -> list[Problem | None]:
        """Those of tenants that stand together."""
        batch = _Batch(readings)
        if not batch.by_device:
            return batch.outcomes
        rows = await lock_rows(tx, sorted(batch.by_device))
        places = await self._layouts.places(tx, rows, [batch.values(row) for row in rows])
        indexes = {tenant: await self._rule_indexes.get(tx, tenant) for tenant in {row[0] for row in rows}}
        for row, place in zip(rows, places, strict=True):
            rules = indexes[row["organization_id"]].for_asset(row["id"], row["asset_type_id"])
            await batch.decide(row, place, rules)
        await store(tx, batch.columns, batch.decisions, batch.now)
        return batch.outcomes


class _Batch:
    """Readings on their way, asset by asset, and what is to be stored of them."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self.now = clock.now()
        self.columns = Columns()
        self.decisions: list[Decision] = []
        self.outcomes: list[Problem | None] = [NotFound("There is no such asset.")] * len(readings)
        self.by_device: dict[DeviceKey, list[int]] = defaultdict(list)
        self._readings = readings
        self._time_slice = TimeSlice()
        for index, reading in enumerate(readings):
            # No identifier of ours holds a line break, and nothing may that is sent to the database in lines.
            if "\n" not in reading.asset_id and "\n" not in reading.tenant:
                self.by_device[reading.tenant, reading.asset_id].append(index)

    def values(self, row: Row) -> list[Values]:
        return [self._readings[index].values for index in self.by_device[row["organization_id"], row["id"]]]

    async def decide(self, row: Row, place: Place, rules: Sequence[CompiledRule]) -> None:
        """Many readings against many rules take a while, in which others get their turns."""
        if self._time_slice.expired:
            await self._time_slice.yield_control()
        taken = []
        for index in self.by_device[row["organization_id"], row["id"]]:
            reading = self._readings[index]
            self.outcomes[index] = problem = self._record(place, reading, row["last_seen"])
            if problem is None:
                taken.append(reading)
        if len(taken) == 1 and (values := values_if_nothing_else_changes(row, taken[0], rules)) is not None:
            self.columns.state(row["organization_id"], row["id"], values, taken[0].at)
        elif taken:
            taken.sort(key=attrgetter("at"))
            device = device_from_row(row)
            decision = Decision(device, device)
            for reading in taken:
                apply_reading(decision, reading, rules, self.now)
                if self._time_slice.expired:
                    await self._time_slice.yield_control()
            self.decisions.append(decision)

    def _record(self, place: Place, reading: Reading, last_seen: int | None) -> Invalid | None:
        is_newest = last_seen is not None and reading.at > last_seen
        try:
            row = series_row(place.layout, reading.values)
            self.columns.history(reading.tenant, place.series, reading.at, row, is_newest=is_newest)
        except Invalid as problem:
            return problem
        return None
