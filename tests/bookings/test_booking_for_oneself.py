"""Who may book and no more: they see what is taken, not by whom and what for, and touch what is their own."""

import time
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import Colleague

HIDDEN = ("title", "bookedBy", "cancelledBy", "cancelledAt", "checkedInAt")


class Booker:
    """Somebody with the Requester role, a room, and a booking of each of two people."""

    def __init__(self, organization: Organization) -> None:
        self.client = Colleague(organization, "Requester")
        self.path = f"{organization.path}/bookings"
        self.room = organization.resources.create()
        self.start = int(time.time()) + 86_400
        self.foreign = organization.created("bookings", self.slot(0, title="Talk about the merger"))
        self.own = data_of(self.client.post(self.path, json=self.slot(2, title="Quiet hour")))

    def slot(self, hour: int, **fields: Any) -> dict[str, Any]:
        start = self.start + hour * 3600
        return {"resourceId": self.room["id"], "startTime": start, "endTime": start + 3600, **fields}


@pytest.fixture
def booker(organization: Organization) -> Booker:
    return Booker(organization)


def test_bookings_of_others_show_time_and_resource_only(organization: Organization, booker: Booker) -> None:
    seen = {booking["id"]: booking for booking in data_of(booker.client.get(booker.path))}
    assert seen[booker.own["id"]] == booker.own
    masked = {**booker.foreign, **dict.fromkeys(HIDDEN)}
    assert seen[booker.foreign["id"]] == masked
    assert data_of(booker.client.get(f"{booker.path}/{booker.foreign['id']}")) == masked
    assert data_of(booker.client.get(f"{booker.path}/{booker.own['id']}")) == booker.own
    assert data_of(organization.api.get(f"{booker.path}/{booker.own['id']}"))["title"] == "Quiet hour"


def test_hidden_records_cannot_be_inferred_by_filters(organization: Organization, booker: Booker) -> None:
    def ids(**query: Any) -> list[str]:
        return [found["id"] for found in data_of(booker.client.get(booker.path, params=query))]

    assert ids(bookedBy=organization.user_id) == []
    assert ids(bookedBy=booker.client.user_id) == [booker.own["id"]]
    assert ids(resourceId=booker.room["id"], sort="start") == [booker.foreign["id"], booker.own["id"]]
    assert booker.client.get(f"{booker.path}.csv").status_code == 403
    clash = booker.client.post(booker.path, json=booker.slot(0))
    assert clash.status_code == 409
    assert "merger" not in clash.text
    assert organization.user_id not in clash.text


def test_bookers_can_read_resources_and_availability(booker: Booker) -> None:
    resources = booker.path.replace("bookings", "resources")
    assert data_of(booker.client.get(resources)) == [booker.room]
    availability = booker.client.get(
        f"{resources}/{booker.room['id']}/availability",
        params={"from": booker.start, "to": booker.start + 7200},
    )
    assert [slot["bookingId"] for slot in data_of(availability)["busy"]] == [booker.foreign["id"]]
    assert booker.client.patch(f"{resources}/{booker.room['id']}", json={"name": "x"}).status_code == 403


def test_only_own_bookings_can_be_moved_and_cancelled(booker: Booker) -> None:
    client = booker.client
    foreign, own = f"{booker.path}/{booker.foreign['id']}", f"{booker.path}/{booker.own['id']}"
    for refused in (
        client.patch(foreign, json={"title": "x"}),
        client.post(f"{foreign}/cancel"),
        client.post(f"{foreign}/check-in"),
        client.patch(foreign, json={"title": "x"}, headers={"If-Match": '"old"'}),
    ):
        assert (refused.status_code, refused.json()["message"]) == (403, "This booking is somebody else's.")
    moved = client.patch(own, json={"startTime": booker.start + 3 * 3600, "endTime": booker.start + 4 * 3600})
    assert moved.status_code == 200
    cancelled = data_of(client.post(f"{own}/cancel"))
    assert (cancelled["status"], cancelled["cancelledBy"]) == ("Cancelled", client.user_id)


def test_booking_for_others_needs_permission(organization: Organization, booker: Booker) -> None:
    refused = booker.client.post(booker.path, json=booker.slot(5, bookedBy=organization.user_id))
    assert refused.status_code == 403
    assert "users:act-as" in refused.json()["message"]


def test_writers_of_all_bookings_can_book_for_others(organization: Organization, booker: Booker) -> None:
    desk = Colleague(organization, "Reception")
    made = data_of(desk.post(booker.path, json=booker.slot(6, bookedBy=booker.client.user_id)))
    assert made["bookedBy"] == booker.client.user_id
    assert booker.client.post(f"{booker.path}/{made['id']}/cancel").status_code == 200


def test_a_booker_neither_sets_nor_sees_external_ids_and_metadata(
    organization: Organization, booker: Booker
) -> None:
    path = f"{booker.path}/{booker.own['id']}"
    fields: dict[str, Any]
    for fields in ({"externalId": "OUTLOOK-7"}, {"metadata": {"room": "secret"}}):
        for refused in (
            booker.client.post(booker.path, json=booker.slot(5, **fields)),
            booker.client.patch(path, json=fields),
            booker.client.patch(path, json=dict.fromkeys(fields)),
        ):
            assert refused.status_code == 403
            assert "bookings:write" in refused.json()["message"]
    fields = {"externalId": "OUTLOOK-7", "metadata": {"room": "secret"}}
    synced = data_of(organization.api.patch(path, json=fields))
    shown = {**synced, "externalId": None, "metadata": {}}
    read = booker.client.get(path)
    assert data_of(read) == shown
    assert shown in data_of(booker.client.get(booker.path))
    assert booker.client.get(booker.path, params={"externalId": "OUTLOOK-7"}).status_code == 403
    changed = booker.client.patch(path, json={"title": "Nap"}, headers={"If-Match": read.headers["ETag"]})
    assert (data_of(changed)["externalId"], data_of(changed)["metadata"]) == (None, {})
    cancelled = booker.client.post(f"{path}/cancel", headers={"If-Match": changed.headers["ETag"]})
    assert data_of(cancelled)["externalId"] is None
    assert data_of(organization.api.get(path))["externalId"] == "OUTLOOK-7"


def test_a_booker_sees_no_external_ids_of_a_room(organization: Organization, booker: Booker) -> None:
    resources = f"{organization.path}/resources"
    path = f"{resources}/{booker.room['id']}"
    fields = {"externalId": "OUTLOOK-7", "metadata": {"room": "secret"}}
    synced = data_of(organization.api.patch(path, json=fields))
    shown = {**synced, "externalId": None, "metadata": {}}
    read = booker.client.get(path)
    assert data_of(read) == shown
    assert booker.client.get(path, headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    window = {"from": booker.start + 86_400, "to": booker.start + 90_000}
    assert data_of(booker.client.get(f"{resources}/free", params=window)) == [shown]
    assert data_of(booker.client.get(resources)) == [shown]
    assert data_of(Colleague(organization, "Viewer").get(resources)) == [synced]
    for form in ("csv", "ndjson"):
        exported = booker.client.get(f"{resources}.{form}")
        assert exported.status_code == 200
        assert "OUTLOOK" not in exported.text
        assert "secret" not in exported.text
    for address in (resources, f"{resources}.csv"):
        assert booker.client.get(address, params={"externalId": "OUTLOOK-7"}).status_code == 403
