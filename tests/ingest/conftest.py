"""A house with devices in it, as their owner sees them."""

import time
from typing import Any

import httpx
import pytest
from tests.support.organizations import Client, Organization
from tests.support.processes import wait_for


class Site:
    """An organization with a kind of device that reports temperature and humidity."""

    def __init__(self, org: Organization) -> None:
        self.org = org
        self.api = org.api
        properties = [
            {"key": "Temperature", "name": "Temperature", "type": "float", "unit": "°C"},
            {"key": "Humidity", "name": "Relative humidity", "type": "float", "unit": "%"},
        ]
        answer = self.api.post(
            f"/v2{org.path}/asset-types",
            json={"name": "Climate", "isIotDevice": True, "keepAlive": 600, "properties": properties},
        )
        assert answer.status_code == 201, answer.text
        self.type_id = answer.json()["data"]["id"]

    def device(self, name: str = "Sensor", **fields: Any) -> str:
        return self.org.created("assets", {"name": name, "assetTypeId": self.type_id, **fields})["id"]

    def send(
        self, asset_id: str, values: Any, timestamp: Any = None, *, api: Client | None = None, **headers: str
    ) -> httpx.Response:
        body = {"values": values} if timestamp is None else {"values": values, "timestamp": timestamp}
        path = f"{self.org.path}/assets/{asset_id}/telemetry"
        return (api or self.api).post(path, json=body, headers=headers)

    def sent(self, asset_id: str, values: Any, timestamp: Any = None) -> None:
        answer = self.send(asset_id, values, timestamp)
        assert answer.status_code == 200, answer.text

    def send_many(self, *readings: dict[str, Any], api: Client | None = None) -> httpx.Response:
        return (api or self.api).post(f"{self.org.path}/telemetry", json={"readings": list(readings)})

    def asset(self, asset_id: str) -> dict[str, Any]:
        return self.api.get(f"{self.org.path}/assets/{asset_id}").json()["data"]

    def history(self, asset_id: str, key: str = "Temperature", **query: Any) -> list[tuple[int, float]]:
        """Time and value of each reading; far enough back, and fine enough, for what tests send."""
        now = int(time.time())
        query = {"key": key, "from": now - 1000, "to": now + 1000, "resolution": 2000, **query}
        answer = self.api.get(f"{self.org.path}/assets/{asset_id}/telemetry", params=query)
        assert answer.status_code == 200, answer.text
        (series,) = answer.json()["data"]["series"]
        assert all(point["count"] == 1 for point in series["points"])
        return [(point["timestamp"], point["average"]) for point in series["points"]]

    def rule(self, **fields: Any) -> dict[str, Any]:
        body = {
            "name": "Too warm",
            "assetTypeId": self.type_id,
            "severity": "Critical",
            "conditions": [{"key": "Temperature", "operator": "gt", "value": 30}],
            **fields,
        }
        return self.org.created("alert-rules", {k: v for k, v in body.items() if v is not None})

    def alerts(self, **query: Any) -> list[dict[str, Any]]:
        return self.api.get(f"{self.org.path}/alerts", params=query).json()["data"]

    def events(self, type: str) -> list[dict[str, Any]]:
        """Earliest first."""
        answer = self.api.get(f"/v2{self.org.path}/events", params={"limit": 100, "type": type})
        return answer.json()["data"][::-1]

    def status_becomes(self, asset_id: str, status: str) -> None:
        wait_for(f"status {status}", lambda: self.asset(asset_id)["status"] == status)

    def listen(self, *types: str) -> None:
        """A webhook that nothing can be delivered to; what counts is that somebody subscribes."""
        answer = self.api.post(
            f"/v2{self.org.path}/webhooks", json={"url": "https://receiver.invalid/", "events": list(types)}
        )
        assert answer.status_code == 201, answer.text


@pytest.fixture
def site(org: Organization) -> Site:
    return Site(org)


@pytest.fixture
def now() -> int:
    return int(time.time())


@pytest.fixture
def other_site(found: Any) -> Site:
    return Site(found())
