import asyncio
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import limit


def _new(organization: Organization, name: str = "Somewhere", **fields: Any) -> dict[str, Any]:
    return organization.created("locations", {"name": name, "type": "Site", **fields})


def _change(organization: Organization, location: dict[str, Any], **fields: Any) -> httpx.Response:
    return organization.api.patch(f"{organization.path}/locations/{location['id']}", json=fields)


def test_a_location_can_be_made_read_and_changed(organization: Organization) -> None:
    fields = {
        "name": "Third floor",
        "type": "Floor",
        "description": "With a view",
        "code": "HH-3",
        "address": {"street": "Am Sandtorkai 1", "city": "Hamburg"},
        "timezone": "Europe/Berlin",
        "latitude": 53.5413,
        "longitude": 9.9841,
        "externalId": "HH/3",
        "metadata": {"plan": "3.12"},
    }
    answer = organization.api.post(f"{organization.path}/locations", json=fields)
    made = data_of(answer)
    assert made == {
        **fields,
        "id": made["id"],
        "parentId": None,
        "archivedAt": None,
        "created": made["created"],
        "updated": made["created"],
    }
    assert data_of(organization.api.get(answer.headers["location"])) == made
    changed = data_of(_change(organization, made, description=None, address=None, name="3rd floor"))
    assert (changed["description"], changed["address"], changed["name"]) == (None, None, "3rd floor")
    assert changed["code"] == "HH-3"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timezone", "Mars/Olympus"),
        ("latitude", 91),
        ("longitude", -181),
        ("type", "Planet"),
        ("name", " "),
        ("code", ""),
    ],
)
def test_invalid_input_is_named(organization: Organization, field: str, value: Any) -> None:
    answer = organization.api.post(
        f"{organization.path}/locations", json={"name": "x", "type": "Site", field: value}
    )
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field


def test_a_code_belongs_to_one_location_of_an_organization(organization: Organization) -> None:
    _new(organization, code="A")
    assert (
        organization.api.post(
            f"{organization.path}/locations", json={"name": "x", "type": "Site", "code": "A"}
        ).status_code
        == 409
    )
    other = _new(organization)
    assert _change(organization, other, code="A").status_code == 409


def test_locations_cannot_form_a_cycle(organization: Organization) -> None:
    top = _new(organization)
    middle = _new(organization, parentId=top["id"])
    bottom = _new(organization, parentId=middle["id"])
    for parent in (top, middle, bottom):
        answer = _change(organization, top, parentId=parent["id"])
        assert answer.status_code == 422
        assert answer.json()["details"] == [
            {"field": "parentId", "message": "a location can't lie in itself"}
        ]
    assert _change(organization, bottom, parentId=top["id"]).status_code == 200
    assert data_of(_change(organization, bottom, parentId=None))["parentId"] is None


def test_concurrent_moves_cannot_form_a_cycle(organization: Organization) -> None:
    async def swap(first: str, second: str) -> list[int]:
        async with httpx.AsyncClient(
            base_url=organization.base_url,
            headers=dict(organization.api.headers),
            timeout=limit(60),
            verify=False,
        ) as client:
            answers = await asyncio.gather(
                client.patch(f"{organization.path}/locations/{first}", json={"parentId": second}),
                client.patch(f"{organization.path}/locations/{second}", json={"parentId": first}),
            )
        return sorted(answer.status_code for answer in answers)

    for _ in range(5):
        assert asyncio.run(swap(_new(organization)["id"], _new(organization)["id"])) == [200, 422]


def test_records_in_use_cannot_be_deleted_and_name_their_users(organization: Organization) -> None:
    parent = _new(organization)
    _new(organization, parentId=parent["id"])
    answer = organization.api.delete(f"{organization.path}/locations/{parent['id']}")
    assert answer.status_code == 409
    assert (
        answer.json()["message"]
        == "This location can't be deleted while other locations name it; archive it instead."
    )
    used = _new(organization)
    organization.created("work-orders", {"title": "x", "locationId": used["id"]})
    answer = organization.api.delete(f"{organization.path}/locations/{used['id']}")
    assert (
        answer.json()["message"]
        == "This location can't be deleted while work orders name it; archive it instead."
    )
    unused = _new(organization)
    assert organization.api.delete(f"{organization.path}/locations/{unused['id']}").json() == {
        "data": {"deleted": True}
    }


def test_lists_can_be_filtered(organization: Organization) -> None:
    site = _new(organization, "Harbour House", code="HH")
    floor = _new(organization, "Erdgeschoß", type="Floor", parentId=site["id"])

    def names(query: str) -> list[str]:
        return [
            place["name"] for place in data_of(organization.api.get(f"{organization.path}/locations?{query}"))
        ]

    assert names("type=Floor") == ["Erdgeschoß"]
    assert names(f"parentId={site['id']}") == [floor["name"]]
    assert names("code=HH") == ["Harbour House"]
    assert names("q=ERDGESCHOSS") == ["Erdgeschoß"]
    assert names("q=hh") == ["Harbour House"]
    assert names("updatedAfter=4102444800") == []


def test_locations_are_archived_bottom_up_and_restored_top_down(organization: Organization) -> None:
    locations = organization.locations
    site = locations.create("Site")
    house = locations.create("House", parentId=site["id"])
    rooms = [locations.create(f"Room {n}", parentId=house["id"]) for n in range(4)]
    refused = locations.post_verb(house, "archive")
    assert (refused.status_code, refused.json()["message"]) == (
        409,
        "This location can't be archived before what lies in it: Room 0, Room 1, Room 2 and others.",
    )
    for room in rooms:
        locations.move(room, "archive")
    # Nothing is in the way of what is done again, also when something has come into it meanwhile.
    locations.move(house, "archive")
    locations.create("Late", parentId=house["id"])
    assert locations.move(house, "archive")["archivedAt"] is not None
    refused = locations.post_verb(rooms[0], "restore")
    assert (refused.status_code, refused.json()["message"]) == (
        409,
        "House, in which this location lies, is archived; restore that first.",
    )
    locations.move(house, "restore")
    locations.move(rooms[0], "restore")
    assert locations.ids(parentId=house["id"], archived="true") == [room["id"] for room in rooms[:0:-1]]
    assert locations.post_verb("loc_0", "archive").status_code == 404
