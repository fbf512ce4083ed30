import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest
from tests.support.organizations import Organization

HOT = {"key": "Temperature", "operator": "gt", "value": 27}


class Plant:
    """An organization with a type of device and two devices, as the rules over them are tested."""

    def __init__(self, org: Organization) -> None:
        self.org = org
        self.api = org.api
        self.rules = f"{org.path}/alert-rules"
        self.alerts = f"{org.path}/alerts"
        self.type_id = self.new_type("Sensor")
        self.asset_id, self.other_id = (self.new_asset(name) for name in ("Sensor 1", "Sensor 2"))
        self._numbers = itertools.count(1)

    def new_type(self, name: str) -> str:
        body = {"name": name, "isIotDevice": True}
        answer = self.api.post(f"/v2{self.org.path}/asset-types", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]["id"]

    def new_asset(self, name: str) -> str:
        return self.org.created("assets", {"name": name, "assetTypeId": self.type_id})["id"]

    def body(self, **fields: Any) -> dict[str, Any]:
        """A rule for the type, unless the fields say otherwise."""
        scope = {} if "assetId" in fields else {"assetTypeId": self.type_id}
        return {"name": "Too warm", "severity": "Warning", "conditions": [HOT], **scope, **fields}

    def make(self, **fields: Any) -> dict[str, Any]:
        return self.org.created("alert-rules", self.body(**fields))

    def one(self, rule: dict[str, Any]) -> str:
        return f"{self.rules}/{rule['id']}"

    def listed(self, path: str, **query: Any) -> list[str]:
        answer = self.api.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return [item["id"] for item in answer.json()["data"]]

    def new_alert(self, **fields: Any) -> dict[str, Any]:
        """One as a reading would have raised it."""
        values = {
            "id": f"alt_{next(self._numbers):028}",
            "asset_id": self.asset_id,
            "rule_id": "arl_1",
            "severity": "Warning",
            "status": "Active",
            "first_seen": 1767225600,
            "last_seen": 1767225660,
            "count": 2,
            "cleared_at": None,
            **fields,
        }
        names = ", ".join(values)
        places = ", ".join(f"${number}" for number in range(2, len(values) + 2))
        self.run(
            f"INSERT INTO alerts (organization_id, {names}) VALUES ($1, {places})",
            self.org.id,
            *values.values(),
        )
        return self.api.get(f"{self.alerts}/{values['id']}").json()["data"]

    def run(self, statement: str, *values: Any) -> list[Any]:
        async def main() -> Any:
            connection = await asyncpg.connect(self.org.database_url)
            try:
                return await connection.fetch(statement, *values)
            finally:
                await connection.close()

        return asyncio.run(main())


@pytest.fixture
def plant(org: Organization) -> Plant:
    return Plant(org)


@pytest.fixture
def neighbour(found: Callable[..., Organization]) -> Plant:
    return Plant(found())


def refused_fields(answer: httpx.Response) -> list[str]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [detail["field"] for detail in answer.json()["details"]]
