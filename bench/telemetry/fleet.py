"""An organization whose devices have reported for long: connected, with a series each, and rules over what they measure."""

import random
from collections.abc import Iterator
from itertools import islice

import msgspec

from bench.databases import connected, pooled
from bench.load import Caller
from bench.tenants import Tenant
from steward.assets.model import NewAsset
from steward.assets.queries import ASSETS
from steward.assets.rules import new_asset
from steward.kit.records import many_records
from steward.kit.records.context import Context
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.telemetry.series import layout

_ASSETS_COUNT = 100_000
BATCH = 100
KEYS = ("Temperature", "Humidity", "CO2")
# Passes over all assets, each with values of its own, so that a device doesn't repeat itself.
_PASSES = 2
# One reading in so many is above the threshold of the rule that fires; the device's next one clears it.
_ONE_FIRES_IN = 1000
_ASSETS_AT_ONCE = 5000

_ASSET_TYPE = {
    "name": "Room sensor",
    "isIotDevice": True,
    "properties": [
        {"key": "Temperature", "name": "Temperature", "type": "float", "unit": "°C"},
        {"key": "Humidity", "name": "Relative humidity", "type": "float", "unit": "%"},
        {"key": "CO2", "name": "Carbon dioxide", "type": "integer", "unit": "ppm"},
    ],
}
_RULES: tuple[dict[str, object], ...] = (
    {
        "name": "Overheated",
        "severity": "Critical",
        "conditions": [{"key": "Temperature", "operator": "gt", "value": 60}],
        "forSeconds": 300,
        "hysteresis": 2,
    },
    {
        "name": "Wet and cold",
        "severity": "Warning",
        "match": "all",
        "conditions": [
            {"key": "Humidity", "operator": "gte", "value": 97.5},
            {"key": "Temperature", "operator": "lt", "value": 5},
        ],
        "clearForSeconds": 600,
        "hysteresis": 0.5,
    },
    {
        "name": "Bad air",
        "severity": "Warning",
        "conditions": [{"key": "CO2", "operator": "gt", "value": 2000}],
        "hysteresis": 100,
    },
)

_CONNECT = """UPDATE assets SET connection_status = true, status = 'Normal', connectivity_due = $2::bigint + 86400,
                                last_seen = $2, last_telemetry = '{"Temperature": 21.5, "Humidity": 45.5, "CO2": 600}',
                                series = nextval('telemetry_series_numbers'), layout = $3
              WHERE organization_id = $1"""
_LAYOUT = """INSERT INTO telemetry_layouts (organization_id, layout, keys, digest)
             VALUES ($1, nextval('telemetry_layout_numbers'), $2, $3) RETURNING layout"""


class Device(msgspec.Struct, frozen=True):
    id: str
    series: int


class DeviceFleet(msgspec.Struct, frozen=True):
    tenant: str
    # May send readings only.
    device_key: str
    devices: list[Device]


class Sent(msgspec.Struct, frozen=True):
    """What a device measures at one moment."""

    device: Device
    values: tuple[float, float, int]

    def json(self) -> bytes:
        return b'{"Temperature":%.2f,"Humidity":%.1f,"CO2":%d}' % self.values


async def make_fleet(url: str, port: int, founder: Tenant) -> DeviceFleet:
    caller, here = Caller(port, {"X-API-Key": founder.keys[0]}), f"/organizations/{founder.id}"
    kind = caller.make(f"/v2{here}/asset-types", _ASSET_TYPE)["id"]
    key = caller.make(f"{here}/api-keys", {"name": "Devices", "permissions": ["iot:write"]})
    # Before there are assets: otherwise each of them would be judged anew by each rule that is made.
    for rule in _RULES:
        caller.make(f"{here}/alert-rules", {**rule, "assetTypeId": kind})
    await _make_assets(url, TenantId(founder.id), kind)
    return DeviceFleet(founder.id, key["secret"], await _connect(url, founder.id))


async def _make_assets(url: str, tenant: TenantId, kind: str) -> None:
    """As the import of a file makes them, without the events."""
    now = clock.now()
    async with pooled(url) as pool:
        for first in range(0, _ASSETS_COUNT, _ASSETS_AT_ONCE):
            news = (
                NewAsset(
                    name=f"Room sensor {n}",
                    asset_type_id=kind,
                    external_id=f"EUI-{n:08d}",
                    metadata={"manufacturer": "Milesight", "model": "AM103", "serialNumber": f"{n:08X}"},
                )
                for n in range(first, first + _ASSETS_AT_ONCE)
            )
            assets = [new_asset(new, tenant, now) for new in news]
            async with Context.of_tenant(pool, tenant, now).transaction() as ctx:
                await many_records.create(ctx, ASSETS, assets)


async def _connect(url: str, tenant: str) -> list[Device]:
    async with connected(url) as connection:
        number = await connection.fetchval(_LAYOUT, tenant, list(KEYS), layout(KEYS).digest)
        await connection.execute(_CONNECT, tenant, clock.now() - 60, number)
        rows = await connection.fetch("SELECT id, series FROM assets WHERE organization_id = $1", tenant)
        # The rows were written twice: without this the first round would pay for tidying up.
        await connection.execute("VACUUM (FULL) assets")
        return [Device(*row) for row in rows]


def readings(fleet: DeviceFleet) -> Iterator[Sent]:
    """Every device once in each pass, and always in the same order: two readings of one second would be stored as one."""
    chance = random.Random(0)
    devices = chance.sample(fleet.devices, len(fleet.devices))
    for _ in range(_PASSES):
        for device in devices:
            co2 = 2100 if chance.random() < 1 / _ONE_FIRES_IN else chance.randint(400, 1500)
            yield Sent(device, (round(chance.gauss(22, 3), 2), round(chance.uniform(30, 70), 1), co2))


def batches(fleet: DeviceFleet) -> Iterator[list[Sent]]:
    sent = readings(fleet)
    while batch := list(islice(sent, BATCH)):
        yield batch
