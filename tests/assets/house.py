from typing import Any

from tests.support.organizations import Organization


class House:
    """An organization with a type and a location to put assets into."""

    def __init__(self, org: Organization) -> None:
        self.org = org
        self.api = org.api
        self.path = f"{org.path}/assets"
        self.type_id = self.new_type("Pump", keepAlive=600)["id"]
        self.location_id = self.new_location("Cellar")["id"]

    def new_type(self, name: str, **fields: Any) -> dict[str, Any]:
        answer = self.api.post(f"/v2{self.org.path}/asset-types", json={"name": name, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]

    def new_location(self, name: str) -> dict[str, Any]:
        return self.org.created("locations", {"name": name, "type": "Space"})

    def make(self, name: str = "Pump 1", **fields: Any) -> dict[str, Any]:
        return self.org.created("assets", {"name": name, "assetTypeId": self.type_id, **fields})

    def one(self, id: str) -> str:
        return f"{self.path}/{id}"

    def names(self, **query: Any) -> list[str]:
        answer = self.api.get(self.path, params=query)
        assert answer.status_code == 200, answer.text
        return [asset["name"] for asset in answer.json()["data"]]

    def events(self, **query: str) -> list[dict[str, Any]]:
        return self.api.get(f"/v2{self.org.path}/events", params={"limit": 100, **query}).json()["data"]
