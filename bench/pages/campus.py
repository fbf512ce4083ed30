"""An organization with as many assets as work orders, written past the API: a year of orders, of which a tenth is open."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from bench.databases import connected
from steward.kit.db import search
from steward.kit.db.partitions import first_id
from steward.kit.domain.fields import Priority
from steward.kit.security.caller import TenantId

_DAY = 86_400
_PEOPLE = 20
_ASSETS_IN_A_PLACE = 50
# So many orders belong to each asset that has any.
_ORDERS_OF_AN_ASSET = 20
_KINDS = (
    "Air handler",
    "Boiler",
    "Chiller",
    "Fan coil",
    "Lift",
    "Meter",
    "Pump",
    "Sensor",
    "Smoke detector",
    "Valve",
)
_TROUBLES = (
    "is noisy",
    "leaks",
    "does not start",
    "needs its yearly inspection",
    "shows a fault",
    "is too warm",
)
_TYPE_ID, _RULE_ID = "aty_bench", "arl_bench"
_PROPERTIES = '[{"key": "Temperature", "name": "Temperature", "type": "float", "unit": "°C"}]'

_TYPE = """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated,
                                    applied_keep_alive, applied_iot_device)
           VALUES ($1, $2, 'Machine', true, 600, $3, 0, 0, 600, true)"""
_RULE = """INSERT INTO alert_rules (organization_id, id, name, asset_type_id, severity, match, conditions, for_seconds,
                                    clear_for_seconds, hysteresis, enabled, created, updated)
           VALUES ($1, $2, 'Too warm', $3, 'Warning', 'all', $4, 0, 0, 0, true, 0, 0)"""
_CONDITIONS = '[{"key": "Temperature", "operator": "gt", "value": 30}]'
_ACCOUNTS = """INSERT INTO accounts (id, email, password_hash, created, updated)
               SELECT 'acc_' || n, 'person-' || n || '@example.com', '!', 0, 0 FROM generate_series(1, $1::integer) n"""
_MEMBERS = """INSERT INTO memberships (organization_id, user_id, account_id, email, name, status, created, updated)
              SELECT $1, 'usr_' || n, 'acc_' || n, 'person-' || n || '@example.com', 'Person ' || n, 'Active', 0, 0
              FROM generate_series(1, $2::integer) n"""
_COUNTER = "INSERT INTO counters (organization_id, name, last) VALUES ($1, 'work order', $2)"


class Campus(NamedTuple):
    """Whose it is, and how much of everything there is; `viewer` is the person who looks at the pages."""

    tenant: TenantId
    viewer: str
    size: int
    now: int

    def asset_id(self, number: int) -> str:
        return f"{first_id('ast', self.now - 400 * _DAY + number)}{number:014x}"

    def place_id(self, number: int) -> str:
        return f"loc_{number // _ASSETS_IN_A_PLACE:028x}"

    def _searchable(self, *texts: str) -> dict[str, Any]:
        return {"search_text": search.text(*texts), "search_grams": search.grams(self.tenant, *texts)}

    def places(self) -> Iterator[dict[str, Any]]:
        for number in range(0, self.size, _ASSETS_IN_A_PLACE):
            name = f"Room {number // _ASSETS_IN_A_PLACE}"
            yield {
                "organization_id": self.tenant,
                "id": self.place_id(number),
                "name": name,
                "type": "Space",
                "created": 0,
                "updated": 0,
                **self._searchable(name),
            }

    def assets(self) -> Iterator[dict[str, Any]]:
        """One in fifty is offline."""
        for number in range(self.size):
            name, serial = f"{_KINDS[number % len(_KINDS)]} {number}", f"SN{number:08}"
            yield {
                "organization_id": self.tenant,
                "id": self.asset_id(number),
                "name": name,
                "external_id": f"BMS-{number}",
                "asset_type_id": _TYPE_ID,
                "location_id": self.place_id(number),
                "status": "Warning" if number % 100 == 0 else "Normal",
                "connection_status": number % 50 != 1,
                "metadata": f'{{"serialNumber": "{serial}"}}',
                "last_telemetry": '{"Temperature": 21.5}',
                "last_seen": self.now - 60,
                "created": self.now - 400 * _DAY,
                "updated": self.now - 400 * _DAY + number,
                **self._searchable(name, f"BMS-{number}", serial),
            }

    def alerts(self) -> Iterator[dict[str, Any]]:
        """Each asset had one in the past year, and one in a hundred has one now."""
        for number in range(self.size):
            then = self.now - 365 * _DAY + number * 365 * _DAY // self.size
            yield self._alert(number, "Cleared", then, then + 600) | {"cleared_at": then + 900}
            if number % 100 == 0:
                status = "Active" if number % 200 == 0 else "Acknowledged"
                yield self._alert(number, status, self.now - 3600 - number % 3600, self.now)

    def _alert(self, number: int, status: str, since: int, until: int) -> dict[str, Any]:
        return {
            "organization_id": self.tenant,
            "asset_id": self.asset_id(number),
            "rule_id": _RULE_ID,
            "count": 3,
            "id": f"{first_id('alt', since)}{number:014x}",
            "severity": "Critical" if number % 300 == 0 else "Warning",
            "status": status,
            "first_seen": since,
            "last_seen": until,
            "cleared_at": None,
        }

    def orders(self) -> Iterator[dict[str, Any]]:
        dice = random.Random(1)  # the same data in every run
        priorities = [*[Priority.LOW] * 3, *[Priority.MEDIUM] * 4, *[Priority.HIGH] * 2, Priority.CRITICAL]
        for number in range(self.size):
            created = self.now - 365 * _DAY + number * 365 * _DAY // self.size
            is_new = number > self.size * 0.85
            is_open = dice.random() < (0.55 if is_new else 0.02)
            asset = number % (self.size // _ORDERS_OF_AN_ASSET)
            title = f"{_KINDS[asset % len(_KINDS)]} {asset} {_TROUBLES[number % len(_TROUBLES)]}"
            yield {
                "organization_id": self.tenant,
                "id": f"{first_id('wo', created)}{number:014x}",
                "number": number + 1,
                "title": title,
                "description": "Found on the morning round.",
                "priority": dice.choice(priorities),
                "reported_by": f"usr_{1 + number % _PEOPLE}",
                "location_id": self.place_id(number * 7 % self.size),
                "asset_id": self.asset_id(asset),
                "created": created,
                **self._searchable(title, "Found on the morning round."),
                **(self._open(dice, created) if is_open else self._done(dice, created)),
            }

    def _open(self, dice: random.Random, created: int) -> dict[str, Any]:
        """A third for who looks, a third for nobody; one in ten is overdue, one in twenty soon."""
        due = self.now + dice.choice(
            [-2 * _DAY, -3600] + [2 * 3600] + 17 * [dice.randrange(5 * 3600, 30 * _DAY)]
        )
        people = [self.viewer, None, f"usr_{1 + dice.randrange(_PEOPLE)}"]
        return {
            "status": dice.choice(["Open"] * 6 + ["InProgress"] * 3 + ["OnHold"]),
            "assignee_id": dice.choice(people),
            "updated": max(created, self.now - dice.randrange(30 * _DAY)),
            "completed_at": None,
            "sla_resolution_deadline": due,
            "sla_resolution_breached_at": due if due < self.now else None,
        }

    def _done(self, dice: random.Random, created: int) -> dict[str, Any]:
        ended = min(self.now, created + dice.randrange(3600, 5 * _DAY))
        return {
            "status": "Cancelled" if dice.random() < 0.05 else "Completed",
            "assignee_id": dice.choice([self.viewer, f"usr_{1 + dice.randrange(_PEOPLE)}"]),
            "updated": ended,
            "completed_at": ended,
            "sla_resolution_deadline": created + 3 * _DAY,
            "sla_resolution_breached_at": None,
        }

    def events(self) -> Iterator[dict[str, Any]]:
        """That of each order's making; they are as old as the log keeps them, or younger."""
        for number, order in enumerate(self.orders()):
            made = self.now - 7 * _DAY + number * 7 * _DAY // self.size
            yield {
                "organization_id": self.tenant,
                "id": f"{first_id('evt', made)}{number:014x}",
                "type": "workorder.created",
                "created": made,
                "about": order["id"],
                "attributes": "{}",
                "body": msgspec.json.encode(
                    {
                        "id": "evt_bench",
                        "type": "workorder.created",
                        "organizationId": self.tenant,
                        "created": made,
                        "data": {"object": {"title": order["title"]}},
                        "livemode": True,
                    }
                ),
            }


async def build(url: str, campus: Campus) -> None:
    tables = {
        "locations": campus.places(),
        "assets": campus.assets(),
        "alerts": campus.alerts(),
        "work_orders": campus.orders(),
        "events": campus.events(),
    }
    async with connected(url) as connection:
        await connection.execute(_TYPE, campus.tenant, _TYPE_ID, _PROPERTIES)
        await connection.execute(_RULE, campus.tenant, _RULE_ID, _TYPE_ID, _CONDITIONS)
        await connection.execute(_ACCOUNTS, _PEOPLE)
        await connection.execute(_MEMBERS, campus.tenant, _PEOPLE)
        await connection.execute(_COUNTER, campus.tenant, campus.size)
        for table, rows in tables.items():
            first = next(rows)
            records = (tuple(row.values()) for row in chain([first], rows))
            await connection.copy_records_to_table(table, columns=[*first], records=records, timeout=600)
