from collections.abc import Callable
from typing import Any

import pytest
from tests.bookings.helpers import HOUR, now, tomorrow
from tests.support.answers import data_of
from tests.support.organizations import Organization


def test_a_new_resource_has_defaults_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(f"{organization.path}/resources", json={"name": "Desk 12", "type": "Desk"})
    assert answer.status_code == 201
    resource = data_of(answer)
    assert resource["id"].startswith("rsc_")
    assert resource == {
        "id": resource["id"],
        "name": "Desk 12",
        "type": "Desk",
        "locationId": None,
        "capacity": None,
        "features": [],
        "bufferMinutes": 0,
        "checkInRequired": False,
        "releaseAfterMinutes": 15,
        "active": True,
        "externalId": None,
        "metadata": {},
        "archivedAt": None,
        "created": resource["created"],
        "updated": resource["created"],
    }
    assert answer.headers["location"] == f"{organization.path}/resources/{resource['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": resource}
    assert organization.api.get(f"{organization.path}/resources").json() == {
        "data": [resource],
        "lastEvaluatedKey": None,
    }


def test_every_field_can_be_given_and_changed(organization: Organization) -> None:
    first, second = (
        organization.created("locations", {"name": n, "type": "Floor"})["id"] for n in ("One", "Two")
    )
    given = {
        "name": "Van 3",
        "type": "Vehicle",
        "locationId": first,
        "capacity": 9,
        "features": ["Tow bar", "radio"],
        "bufferMinutes": 1440,
        "checkInRequired": True,
        "releaseAfterMinutes": 1,
        "active": False,
    }
    resource = organization.created("resources", given)
    assert {name: resource[name] for name in given} == given
    changes = {
        "name": "Projector",
        "type": "Equipment",
        "locationId": second,
        "capacity": None,
        "features": [],
        "bufferMinutes": 0,
        "checkInRequired": False,
        "releaseAfterMinutes": 1440,
        "active": True,
    }
    answer = organization.api.patch(f"{organization.path}/resources/{resource['id']}", json=changes)
    assert answer.status_code == 200
    changed = data_of(answer)
    assert changed == {**resource, **changes, "updated": changed["updated"]}
    assert data_of(organization.api.get(f"{organization.path}/resources/{resource['id']}")) == changed


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"type": "Boat"}, "type"),
        ({"capacity": 0}, "capacity"),
        ({"features": ["a,b"]}, "features[0]"),
        ({"features": ["x"] * 51}, "features"),
        ({"bufferMinutes": -1}, "bufferMinutes"),
        ({"bufferMinutes": 1441}, "bufferMinutes"),
        ({"bufferMinutes": None}, "bufferMinutes"),
        ({"releaseAfterMinutes": 0}, "releaseAfterMinutes"),
        ({"releaseAfterMinutes": 1441}, "releaseAfterMinutes"),
        ({"checkInRequired": "yes"}, "checkInRequired"),
        ({"active": None}, "active"),
        ({"colour": "red"}, "colour"),
        ({"locationId": "loc_nowhere"}, "locationId"),
    ],
)
def test_a_wrong_field_is_named(organization: Organization, fields: dict[str, Any], field: str) -> None:
    resource = organization.resources.create()
    body = {"name": "Room", "type": "Room", **fields}
    for answer in (
        organization.api.post(f"{organization.path}/resources", json=body),
        organization.api.patch(f"{organization.path}/resources/{resource['id']}", json=fields),
    ):
        assert answer.status_code == 422, answer.text
        assert [detail["field"] for detail in answer.json()["details"]] == [field]


def test_a_location_of_another_organization_is_not_found(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    foreign = new_organization().created("locations", {"name": "Theirs", "type": "Site"})["id"]
    body = {"name": "Room", "type": "Room", "locationId": foreign}
    answer = organization.api.post(f"{organization.path}/resources", json=body)
    assert (answer.status_code, answer.json()["details"]) == (
        422,
        [{"field": "locationId", "message": "names no location of this organization"}],
    )


@pytest.mark.parametrize(
    ("method", "below", "body"),
    [
        ("GET", "", None),
        ("PATCH", "", {"name": "Mine"}),
        ("DELETE", "", None),
        ("GET", "/availability", None),
        ("POST", "/calendar-link", None),
    ],
)
def test_a_resource_of_another_organization_is_not_found(
    organization: Organization,
    new_organization: Callable[..., Organization],
    method: str,
    below: str,
    body: Any,
) -> None:
    for id in (new_organization().resources.create()["id"], "rsc_nothing"):
        answer = organization.api.request(method, f"{organization.path}/resources/{id}{below}", json=body)
        assert (answer.status_code, answer.json()["message"]) == (404, "There is no such bookable resource.")


def test_lists_and_exports_can_be_filtered(organization: Organization) -> None:
    floor = organization.created("locations", {"name": "One", "type": "Floor"})["id"]
    room = organization.resources.create(name="Room Elbe", locationId=floor)
    desk = organization.resources.create(name="Desk by the Elbe", type="Desk")
    car = organization.resources.create(name="Car", type="Vehicle", active=False)
    expected = {
        "type=Desk": [desk],
        f"locationId={floor}": [room],
        "active=true": [desk, room],
        "active=false": [car],
        f"updatedAfter={car['updated'] + 1000}": [],
        f"updatedAfter={room['updated'] - 1}": [car, desk, room],
        "q=elbe": [desk, room],
        "q=room+elbe": [room],
        f"type=Room&locationId={floor}&active=true&updatedAfter=1&q=elbe": [room],
    }
    for query, resources in expected.items():
        answer = organization.api.get(f"{organization.path}/resources?{query}")
        assert data_of(answer) == resources, query
        lines = organization.api.get(f"{organization.path}/resources.ndjson?{query}").text.splitlines()
        assert len(lines) == len(resources), query
    csv = organization.api.get(f"{organization.path}/resources.csv?type=Desk").text.splitlines()
    assert csv[0].startswith("id,name,type,locationId,capacity,features,bufferMinutes")
    assert csv[1].startswith(f"{desk['id']},Desk by the Elbe,Desk,,,[],0,false,15,true")


def test_a_resource_without_bookings_can_be_deleted(organization: Organization) -> None:
    resource = organization.resources.create()
    path = f"{organization.path}/resources/{resource['id']}"
    organization.bookings.book(resource, tomorrow(), tomorrow() + HOUR)
    answer = organization.api.delete(path)
    assert (answer.status_code, answer.json()["message"]) == (
        409,
        "This bookable resource can't be deleted while bookings name it; archive it instead.",
    )
    unused = organization.resources.create()
    organization.api.post(f"{organization.path}/resources/{unused['id']}/calendar-link")
    answer = organization.api.delete(f"{organization.path}/resources/{unused['id']}")
    assert (answer.status_code, answer.json()) == (200, {"data": {"deleted": True}})
    assert organization.api.get(f"{organization.path}/resources/{unused['id']}").status_code == 404


def test_records_named_by_bookings_and_resources_cannot_be_deleted(organization: Organization) -> None:
    floor = organization.created("locations", {"name": "One", "type": "Floor"})["id"]
    resource = organization.resources.create(locationId=floor)
    answer = organization.api.delete(f"{organization.path}/locations/{floor}")
    assert (answer.status_code, answer.json()["message"]) == (
        409,
        "This location can't be deleted while bookable resources name it; archive it instead.",
    )
    user = organization.new_user("Requester")
    organization.bookings.book(resource, tomorrow(), tomorrow() + HOUR, bookedBy=user["id"])
    assert organization.api.patch(
        f"{organization.path}/resources/{resource['id']}", json={"locationId": None}
    ).is_success
    for path, noun in ((f"locations/{floor}", "location"), (f"users/{user['id']}", "user")):
        answer = organization.api.delete(f"{organization.path}/{path}")
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"This {noun} can't be deleted while bookings name it; archive it instead.",
        )


def test_a_stale_if_match_changes_nothing(organization: Organization) -> None:
    resource = organization.resources.create()
    path = f"{organization.path}/resources/{resource['id']}"
    tag = organization.api.get(path).headers["etag"]
    first = organization.api.patch(path, json={"capacity": 3}, headers={"If-Match": tag})
    second = organization.api.patch(path, json={"capacity": 4}, headers={"If-Match": tag})
    assert (first.status_code, second.status_code) == (200, 412)
    assert organization.api.delete(path, headers={"If-Match": tag}).status_code == 412
    assert data_of(organization.api.get(path))["capacity"] == 3


def test_the_check_in_setting_applies_to_future_bookings(
    organization: Organization,
) -> None:
    resource = organization.resources.create()
    path = f"{organization.path}/resources/{resource['id']}"
    begun = organization.bookings.book(resource, now() - HOUR, now() + HOUR)
    coming = organization.bookings.book(resource, tomorrow(), tomorrow() + HOUR)
    cancelled = organization.bookings.book(resource, tomorrow() + HOUR, tomorrow() + 2 * HOUR)
    assert organization.api.post(f"{organization.path}/bookings/{cancelled['id']}/cancel").is_success

    def release_times() -> list[int | None]:
        return [organization.bookings.read(booking)["releaseAt"] for booking in (begun, coming, cancelled)]

    assert release_times() == [None, None, None]
    organization.api.patch(path, json={"checkInRequired": True})
    assert release_times() == [None, coming["startTime"] + 15 * 60, None]
    organization.api.patch(path, json={"releaseAfterMinutes": 40})
    assert release_times() == [None, coming["startTime"] + 40 * 60, None]
    organization.api.patch(path, json={"name": "Another name"})
    assert release_times() == [None, coming["startTime"] + 40 * 60, None]
    organization.api.patch(path, json={"checkInRequired": False})
    assert release_times() == [None, None, None]


def test_lifting_the_rule_spares_bookings_that_have_begun(organization: Organization) -> None:
    resource = organization.resources.create(checkInRequired=True)
    begun = organization.bookings.book(resource, now() - HOUR, now() + HOUR)
    assert begun["releaseAt"] is not None
    organization.api.patch(f"{organization.path}/resources/{resource['id']}", json={"checkInRequired": False})
    assert organization.bookings.read(begun)["releaseAt"] is None


@pytest.mark.parametrize(
    ("permission", "allowed"),
    [("bookings:read", {"GET"}), ("bookings:write", {"POST"}), ("assets:read", set())],
)
def test_each_verb_needs_its_permission(
    organization: Organization, permission: str, allowed: set[str]
) -> None:
    resource = organization.resources.create()
    client = organization.client(key=organization.new_key(permission)["secret"])
    start = tomorrow()
    calls = [
        ("GET", "resources", None),
        ("POST", "resources", {"name": "Room", "type": "Room"}),
        ("GET", "bookings", None),
        ("POST", "bookings", {"resourceId": resource["id"], "startTime": start, "endTime": start + HOUR}),
        ("GET", f"resources/{resource['id']}/availability", None),
        ("POST", f"resources/{resource['id']}/calendar-link", None),
    ]
    for method, path, body in calls:
        answer = client.request(method, f"{organization.path}/{path}", json=body)
        assert (answer.status_code != 403) == (method in allowed), (method, path, answer.text)
        assert answer.is_success == (method in allowed)


def test_an_archived_resource_takes_no_bookings_and_keeps_those_it_has(organization: Organization) -> None:
    room = organization.resources.create(name="Elbe")
    start = tomorrow()
    booking = organization.bookings.book(room, start, start + HOUR)
    organization.resources.move(room, "archive")

    def free() -> list[str]:
        window = {"from": start + HOUR, "to": start + 2 * HOUR}
        answer = organization.api.get(f"{organization.path}/resources/free", params=window)
        return [resource["id"] for resource in data_of(answer)]

    refusals = (
        organization.bookings.post(room, start + HOUR, start + 2 * HOUR),
        organization.bookings.patch(booking, endTime=start + 2 * HOUR),
    )
    for refused in refusals:
        assert (refused.status_code, refused.json()["message"]) == (
            409,
            "Elbe is archived and takes no bookings.",
        )
    assert organization.bookings.change(booking, title="Still there")["status"] == "Confirmed"
    window = f"availability?from={start}&to={start + 2 * HOUR}"
    answer = data_of(organization.api.get(organization.resources.path_of(room, f"/{window}")))
    assert ([slot["bookingId"] for slot in answer["busy"]], answer["free"]) == ([booking["id"]], [])
    assert free() == []
    organization.resources.move(room, "restore")
    assert free() == [room["id"]]
