"""One transaction for a batch of readings: lock their assets and read how they are, decide, store.

The lock on an asset protects everything that readings, timers and changed rules do to it. Rules are looked up under it:
whoever changes a rule applies the change to the assets afterwards, and has to wait for this lock where we still went by the
old one.
"""

from collections import defaultdict
from collections.abc import Sequence

from steward.alert_rules.book import RuleBook
from steward.ingest import devices
from steward.ingest.decisions import Decision, take_readings
from steward.ingest.devices import Device, DeviceKey
from steward.ingest.readings import Reading
from steward.ingest.writing import HistoryRow, store
from steward.kit import clock
from steward.kit.db import Transaction
from steward.kit.problems import Invalid, NotFound, Problem
from steward.kit.remembered import Remembered
from steward.telemetry.queries import Layouts, Place, Wanted
from steward.telemetry.series import row

RuleBooks = Remembered[RuleBook]


class Store:
    def __init__(self, rule_books: RuleBooks) -> None:
        self._rule_books = rule_books
        self._layouts = Layouts()

    async def take(self, tx: Transaction, readings: Sequence[Reading]) -> list[Problem | None]:
        """One entry for each reading: None where it is stored, or what is wrong with it."""
        now = clock.now()
        by_device: dict[DeviceKey, list[int]] = defaultdict(list)
        for index, reading in enumerate(readings):
            by_device[reading.tenant, reading.asset_id].append(index)
        outcomes: list[Problem | None] = [NotFound("There is no such asset.")] * len(readings)
        decisions: list[Decision] = []
        history: list[HistoryRow] = []
        found = await devices.lock(tx, sorted(by_device))
        batches = [[readings[index] for index in by_device[device.key]] for device in found]
        places = await self._layouts.of(tx, list(map(_wanted, found, batches)))
        books = {
            tenant: await self._rule_books.get(tx, tenant) for tenant in {d.organization_id for d in found}
        }
        for device, place in zip(found, places, strict=True):
            taken = []
            for index in by_device[device.key]:
                outcomes[index] = _laid_out(place, readings[index], history)
                if outcomes[index] is None:
                    taken.append(readings[index])
            taken.sort(key=_time)
            rules = books[device.organization_id].for_asset(device.id, device.asset_type_id)
            decisions.append(take_readings(device, taken, rules, now))
        await store(tx, decisions, history, now)
        return outcomes


def _time(reading: Reading) -> int:
    return reading.at


def _wanted(device: Device, readings: Sequence[Reading]) -> Wanted:
    values = [reading.values for reading in readings]
    return Wanted(device.organization_id, device.id, device.asset_type_id, device.series, values)


def _laid_out(place: Place, reading: Reading, history: list[HistoryRow]) -> Invalid | None:
    try:
        history.append((place.series, reading.at, row(place.layout, reading.values)))
    except Invalid as problem:
        return problem
    return None
