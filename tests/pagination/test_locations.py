"""`includeDescendants`: a location stands for everything that lies in it, on every list that has locations."""

import time
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.wiring.routes import api_document

PATHS = api_document()["paths"]
LISTS = {
    path.rpartition("/")[2]
    for path, methods in PATHS.items()
    if any(
        parameter["name"] == "includeDescendants"
        for parameter in methods.get("get", {}).get("parameters", ())
    )
    and "." not in path
}


@pytest.fixture
def house(organization: Organization) -> dict[str, str]:
    """One of everything in a room on a floor of a building, which is one of two."""
    create = organization.locations.create
    ids: dict[str, str] = {}
    for name, above in (
        ("Site", None),
        ("East", "Site"),
        ("Floor", "East"),
        ("Room", "Floor"),
        ("West", "Site"),
    ):
        ids[name] = create(name, parentId=ids[above] if above else None)["id"]
    made, room, now = organization.created, {"locationId": ids["Room"]}, int(time.time())
    rule = organization.alert_rules.create(assetTypeId=organization.devices.type_id)
    device = organization.devices.add(**room)
    organization.alerts.insert(asset_id=device, rule_id=rule["id"])
    organization.work_orders.create(**room)
    resource = organization.resources.create(**room)
    organization.bookings.book(resource, now + 86400, now + 90000)
    organization.visitors.create(**room)
    made("decks", {"title": "Lobby", **room})
    return ids


def test_a_location_includes_its_descendants_on_request(
    organization: Organization, house: dict[str, str]
) -> None:
    def count(resource: str, location: str, **more: Any) -> int:
        query = {"locationId": location, **more}
        answer = organization.api.get(f"{organization.path}/{resource}", params=query)
        assert answer.status_code == 200, answer.text
        lines = organization.api.get(f"{organization.path}/{resource}.ndjson", params=query).text.splitlines()
        assert len(lines) == len(data_of(answer))
        return len(lines)

    assert {"assets", "work-orders", "resources", "bookings", "visitors", "decks", "alerts"} == LISTS
    for resource in sorted(LISTS):
        assert count(resource, house["Room"]) == 1, resource
        assert count(resource, house["Site"]) == 0, resource
        assert count(resource, house["Site"], includeDescendants="false") == 0, resource
        for above in ("Site", "East", "Floor", "Room"):
            assert count(resource, house[above], includeDescendants="true") == 1, (resource, above)
        both = f"{house['West']},{house['Floor']}"
        assert count(resource, both, includeDescendants="true") == 1, resource
        for elsewhere in (house["West"], "loc_unknown"):
            assert count(resource, elsewhere, includeDescendants="true") == 0, resource


def test_it_goes_with_sorts_searches_and_cursors(organization: Organization, house: dict[str, str]) -> None:
    for number in range(3):
        organization.work_orders.create(f"Order {number}", locationId=house[("East", "Room", "West")[number]])

    def titles(**query: Any) -> list[str]:
        page = {"locationId": house["East"], "includeDescendants": "true", **query}
        found = organization.api.get(f"{organization.path}/work-orders", params=page).json()
        return [order["title"] for order in found["data"]] + [found["lastEvaluatedKey"]]

    assert titles(sort="number") == ["Lift is stuck", "Order 0", "Order 1", None]
    assert titles(q="order") == ["Order 1", "Order 0", None]
    *first, cursor = titles(limit=2)
    assert first == ["Order 1", "Order 0"]
    assert titles(limit=2, lastEvaluatedKey=cursor) == ["Lift is stuck", None]
