"""The day that the demo's sensors have behind them: a reading every ten minutes, and a server room that is getting warm."""

import math
from collections.abc import Callable, Iterator, Mapping

import msgspec

from steward.alert_rules.model import NewAlertRule
from steward.alert_rules.queries import ALERT_RULES, load_rule_index
from steward.alert_rules.rules import new_alert_rule
from steward.ingest.model import Reading
from steward.ingest.store import Store
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.runtime.tenant_cache import TenantCache
from steward.kit.security.caller import TenantId

Values = dict[str, bool | int | float]

_DAY = 86_400
_EVERY_SECONDS = 600


def _daily(middle: float, swing: float, part_of_day: float) -> float:
    """Highest in the early afternoon."""
    return round(middle + swing * math.cos(2 * math.pi * (part_of_day - 0.58)), 1)


# By asset type: what a sensor reports at a part of the day, and how much of the day that we tell of has passed by then.
_SENSORS: Mapping[str, Callable[[float, float], Values]] = {
    "Air quality sensor": lambda day, _: {
        "Temperature": _daily(21.5, 1.5, day),
        "Humidity": _daily(45, -4, day),
        "CO2": int(_daily(650, 220, day)),
        "PM2Point5": _daily(6, 2, day),
        "Pressure": 1013.2,
    },
    "Temperature and humidity sensor": lambda day, passed: {
        "Temperature": round(_daily(22, 0.4, day) + 5.5 * max(0.0, passed - 0.9) / 0.1, 1),
        "Humidity": _daily(40, -2, day),
    },
    "Water leakage sensor": lambda _, passed: {"LeakStatus": 0, "BatteryLevel": 97 - int(passed)},
    "Door and window sensor": lambda day, _: {"DoorStatus": int(0.5 < day < 0.51), "BatteryLevel": 88},
    "Power socket": lambda day, passed: {
        "Power": _daily(60, 55, day),
        "Voltage": 230.0,
        "Energy": round(412.6 + 1.4 * passed, 2),
    },
}


def readings(tenant: TenantId, asset_id: str, kind: str, now: int) -> Iterator[Reading]:
    for at in range(now - _DAY + _EVERY_SECONDS, now + 1, _EVERY_SECONDS):
        values = _SENSORS[kind](at % _DAY / _DAY, 1 - (now - at) / _DAY)
        yield Reading(tenant, asset_id, at, values)


async def simulate_day(db: Database, tenant: TenantId, sensors: Mapping[str, str], now: int) -> None:
    """`sensors` are assets by the name of their type, one of each."""
    rule = {
        "name": "Server room too warm",
        "assetId": sensors["Temperature and humidity sensor"],
        "severity": "Warning",
        "conditions": [{"key": "Temperature", "operator": "gt", "value": 26}],
        "hysteresis": 1,
    }
    async with db.transaction() as tx:
        # As old as the day, so that it could have said so.
        made = new_alert_rule(msgspec.convert(rule, NewAlertRule), now - _DAY)
        await records.create(tx, ALERT_RULES, tenant, made, now=now)
        day = [
            reading for kind, asset_id in sensors.items() for reading in readings(tenant, asset_id, kind, now)
        ]
        await Store(TenantCache(load_rule_index)).take(tx, day)
