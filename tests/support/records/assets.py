"""Places, kinds of assets, assets, and the devices among them that report."""

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

import httpx
from tests.support.answers import data_of
from tests.support.records.collection import Collection, Record
from tests.support.waiting import wait_for

if TYPE_CHECKING:
    from tests.support.organizations import Client, Organization

# How long a device of the usual kind may be silent.
KEEP_ALIVE = 600


class Locations(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "locations")

    def create(self, name: str = "Cellar", **fields: Any) -> Record:
        return super().create(**{"name": name, "type": "Space", **fields})

    @cached_property
    def first_id(self) -> str:
        """Of a location that is made when a test first asks for it."""
        return str(self.create()["id"])


class AssetTypes(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "asset-types", version="/v2")

    def create(self, name: str = "Boiler", **fields: Any) -> Record:
        return super().create(name=name, **fields)


class Assets(Collection):
    """Pumps, unless a test says otherwise: their type is no device's."""

    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "assets")

    @cached_property
    def type_id(self) -> str:
        return str(self.organization.asset_types.create("Pump", keepAlive=KEEP_ALIVE)["id"])

    def create(self, name: str = "Pump 1", **fields: Any) -> Record:
        if "assetTypeId" not in fields:
            fields["assetTypeId"] = self.type_id
        return super().create(name=name, **fields)

    def names(self, **query: Any) -> list[str]:
        return [asset["name"] for asset in self.listed(**query)]


class Devices(Assets):
    """Sensors that report temperature and humidity."""

    @cached_property
    def type_id(self) -> str:
        properties = [
            {"key": "Temperature", "name": "Temperature", "type": "float", "unit": "°C"},
            {"key": "Humidity", "name": "Relative humidity", "type": "float", "unit": "%"},
        ]
        made = self.organization.asset_types.create(
            "Climate sensor", isIotDevice=True, keepAlive=KEEP_ALIVE, properties=properties
        )
        return str(made["id"])

    @cached_property
    def first_id(self) -> str:
        return self.add("Sensor 1")

    @cached_property
    def second_id(self) -> str:
        return self.add("Sensor 2")

    def add(self, name: str = "Sensor", **fields: Any) -> str:
        """The identifier of a new one."""
        return str(self.create(name, **fields)["id"])

    def send(
        self,
        asset_id: str,
        values: Any,
        timestamp: Any = None,
        *,
        api: "Client | None" = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        body = {"values": values} if timestamp is None else {"values": values, "timestamp": timestamp}
        return (api or self.api).post(self.path_of(asset_id, "/telemetry"), json=body, headers=headers)

    def report(self, asset_id: str, values: Any, timestamp: Any = None) -> None:
        answer = self.send(asset_id, values, timestamp)
        assert answer.status_code == 200, answer.text

    def send_batch(self, *readings: dict[str, Any], api: "Client | None" = None) -> httpx.Response:
        path = f"{self.organization.path}/telemetry"
        return (api or self.api).post(path, json={"readings": list(readings)})

    def history(self, asset_id: str, key: str = "Temperature", **query: Any) -> list[tuple[int, float]]:
        """Time and value of each reading; far enough back, and fine enough, for what tests send."""
        now = int(time.time())
        query = {"key": key, "from": now - 1000, "to": now + 1000, "resolution": 2000, **query}
        answer = self.api.get(self.path_of(asset_id, "/telemetry"), params=query)
        assert answer.status_code == 200, answer.text
        (series,) = data_of(answer)["series"]
        assert all(point["count"] == 1 for point in series["points"])
        return [(point["timestamp"], point["average"]) for point in series["points"]]

    def wait_for_status(self, asset_id: str, status: str) -> None:
        wait_for(f"status {status}", lambda: self.read(asset_id)["status"] == status)
