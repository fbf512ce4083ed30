from collections.abc import Callable
from typing import Any

import pytest
from tests.bookings.helpers import (
    DAY,
    HOUR,
    MINUTE,
    WHOLE,
    envelope,
    now,
    shown,
    tomorrow,
)
from tests.support.answers import data_of
from tests.support.organizations import Organization


def test_a_new_booking_is_confirmed_readable_listed_and_writes_an_event(organization: Organization) -> None:
    floor = organization.created("locations", {"name": "One", "type": "Floor"})["id"]
    resource = organization.resources.create(name="Room Elbe", locationId=floor)
    start = tomorrow()
    answer = organization.bookings.post(resource, start, start + HOUR, title="Weekly planning")
    assert answer.status_code == 201, answer.text
    booking = data_of(answer)
    assert booking["id"].startswith("bkg_")
    assert booking == {
        "id": booking["id"],
        "title": "Weekly planning",
        "resourceId": resource["id"],
        "resourceName": "Room Elbe",
        "locationId": floor,
        "bookedBy": organization.user_id,
        "startTime": start,
        "endTime": start + HOUR,
        "status": "Confirmed",
        "cancelledBy": None,
        "cancelledAt": None,
        "checkedInAt": None,
        "externalId": None,
        "metadata": {},
        "releaseAt": None,
        "attendees": [],
        "seriesId": None,
        "recurrence": None,
        "created": booking["created"],
        "updated": booking["created"],
    }
    assert answer.headers["location"] == f"{organization.path}/bookings/{booking['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": booking}
    assert organization.api.get(f"{organization.path}/bookings").json() == {
        "data": [booking],
        "lastEvaluatedKey": None,
    }
    [told] = organization.events(type="booking.created")
    assert told == envelope(organization, "booking.created", told, {"object": shown(booking, WHOLE)})


def test_a_booking_keeps_the_name_under_which_the_resource_was_booked(organization: Organization) -> None:
    resource = organization.resources.create(name="Room Elbe")
    booking = organization.bookings.book(resource, tomorrow(), tomorrow() + HOUR)
    assert booking["title"] is None
    organization.api.patch(f"{organization.path}/resources/{resource['id']}", json={"name": "Room Alster"})
    assert organization.bookings.read(booking)["resourceName"] == "Room Elbe"


def test_a_booking_can_be_made_for_another_person(organization: Organization) -> None:
    user = organization.new_user("Requester")
    booking = organization.bookings.book(
        organization.resources.create(), tomorrow(), tomorrow() + HOUR, bookedBy=user["id"]
    )
    assert booking["bookedBy"] == user["id"]


def test_references_to_what_is_absent_or_foreign_are_named(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    other = new_organization()
    resource, start = organization.resources.create(), tomorrow()
    for id in (other.resources.create()["id"], "rsc_nothing"):
        answer = organization.bookings.post({"id": id}, start, start + HOUR)
        assert (answer.status_code, answer.json()["details"]) == (
            422,
            [{"field": "resourceId", "message": "names no bookable resource of this organization"}],
        )
    for id in (other.user_id, "usr_nobody"):
        answer = organization.bookings.post(resource, start, start + HOUR, bookedBy=id)
        assert (answer.status_code, answer.json()["details"]) == (
            422,
            [{"field": "bookedBy", "message": "names no user of this organization"}],
        )
    assert data_of(organization.api.get(f"{organization.path}/bookings")) == []
    assert organization.events(type="booking.created") == []


def test_a_booking_of_another_organization_is_not_found(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    other = new_organization()
    foreign = other.bookings.book(other.resources.create(), tomorrow(), tomorrow() + HOUR)
    for id in (foreign["id"], "bkg_nothing"):
        path = f"{organization.path}/bookings/{id}"
        for answer in (
            organization.api.get(path),
            organization.api.patch(path, json={"title": "Mine"}),
            organization.api.post(f"{path}/cancel"),
            organization.api.post(f"{path}/check-in"),
        ):
            assert (answer.status_code, answer.json()["message"]) == (404, "There is no such booking.")
    assert other.bookings.read(foreign) == foreign


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"endTime": 0}, "endTime", "must be later than startTime"),
        ({"endTime": HOUR}, "endTime", "must be at most 31 days later than startTime"),
        ({"startTime": None}, "startTime", None),
        ({"endTime": -1}, "endTime", None),
        ({"endTime": 1.5}, "endTime", None),
        ({"title": ""}, "title", None),
        ({"title": "x" * 201}, "title", None),
        ({"status": "Cancelled"}, "status", None),
    ],
)
def test_a_wrong_field_is_named_when_booking_and_when_changing(
    organization: Organization, fields: dict[str, Any], field: str, message: str | None
) -> None:
    resource, start = organization.resources.create(), tomorrow()
    if message is not None:
        fields = {"endTime": start + (31 * DAY + 1 if fields["endTime"] else 0)}
    booking = organization.bookings.book(resource, start, start + HOUR)
    body = {"resourceId": resource["id"], "startTime": start, "endTime": start + HOUR, **fields}
    for answer in (
        organization.api.post(f"{organization.path}/bookings", json=body),
        organization.bookings.patch(booking, **fields),
    ):
        assert answer.status_code == 422, answer.text
        [detail] = answer.json()["details"]
        assert detail["field"] == field
        assert message is None or detail["message"] == message
    assert organization.bookings.read(booking) == booking


def test_the_longest_booking_is_31_days(organization: Organization) -> None:
    assert (
        organization.bookings.post(
            organization.resources.create(), tomorrow(), tomorrow() + 31 * DAY
        ).status_code
        == 201
    )


def test_running_slots_can_be_booked_but_past_ones_cannot(organization: Organization) -> None:
    resource = organization.resources.create()
    answer = organization.bookings.post(resource, now() - 2 * HOUR, now() - HOUR)
    assert (answer.status_code, answer.json()["details"]) == (
        422,
        [{"field": "endTime", "message": "lies in the past"}],
    )
    booking = organization.bookings.book(resource, now() - HOUR, now() + HOUR)
    assert (
        organization.bookings.patch(booking, startTime=now() - 3 * HOUR, endTime=now() - 2 * HOUR).status_code
        == 422
    )


def test_an_inactive_resource_takes_no_bookings_and_no_moves(organization: Organization) -> None:
    resource, start = organization.resources.create(name="Room Elbe"), tomorrow()
    booking = organization.bookings.book(resource, start, start + HOUR)
    organization.api.patch(f"{organization.path}/resources/{resource['id']}", json={"active": False})
    for answer in (
        organization.bookings.post(resource, start + DAY, start + DAY + HOUR),
        organization.bookings.patch(booking, endTime=start + 60),
    ):
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            "Room Elbe is not active and takes no bookings.",
        )
    assert organization.bookings.patch(booking, title="Still mine").status_code == 200
    assert organization.bookings.post_verb(booking, "cancel").status_code == 200


def test_lists_and_exports_can_be_filtered(organization: Organization) -> None:
    floor = organization.created("locations", {"name": "One", "type": "Floor"})["id"]
    room, desk, start = (
        organization.resources.create(locationId=floor),
        organization.resources.create(type="Desk"),
        tomorrow(),
    )
    user = organization.new_user("Requester")["id"]
    first = organization.bookings.book(room, start, start + HOUR)
    second = organization.bookings.book(room, start + DAY, start + DAY + HOUR, bookedBy=user)
    third = data_of(
        organization.bookings.post_verb(organization.bookings.book(desk, start, start + HOUR), "cancel")
    )
    expected = {
        "": [third, second, first],
        f"resourceId={desk['id']}": [third],
        f"locationId={floor}": [second, first],
        f"bookedBy={user}": [second],
        "status=Cancelled": [third],
        f"startsAfter={start}": [second],
        f"startsBefore={start + 1}": [third, first],
        f"startsBefore={start}": [],
        f"endsAfter={start + HOUR}": [second],
        f"endsAfter={start + HOUR - 1}&startsBefore={start + HOUR}": [third, first],
        f"updatedAfter={third['updated'] + 1000}": [],
        f"resourceId={room['id']}&locationId={floor}&bookedBy={user}&status=Confirmed&startsAfter=1"
        f"&startsBefore={start + 2 * DAY}&endsAfter=1&updatedAfter=1": [second],
    }
    for query, bookings in expected.items():
        assert data_of(organization.api.get(f"{organization.path}/bookings?{query}")) == bookings, query
        lines = organization.api.get(f"{organization.path}/bookings.ndjson?{query}").text.splitlines()
        assert len(lines) == len(bookings), query
    csv = organization.api.get(f"{organization.path}/bookings.csv?status=Cancelled").text.splitlines()
    assert csv[0].startswith("id,title,resourceId,resourceName,locationId,bookedBy,startTime,endTime,status")
    assert csv[1].startswith(f"{third['id']},,{desk['id']},Room Elbe,,{organization.user_id},{start}")


@pytest.mark.parametrize(
    ("changes", "previous"),
    [
        ({"title": "Board"}, {"title": "Planning"}),
        ({"title": None}, {"title": "Planning"}),
        ({"endTime": 2 * HOUR}, {"endTime": HOUR}),
        ({"startTime": HOUR, "endTime": 2 * HOUR}, {"startTime": 0, "endTime": HOUR}),
        ({"title": "Board", "startTime": 60}, {"title": "Planning", "startTime": 0}),
    ],
)
def test_a_change_is_stored_and_its_event_has_the_previous_values(
    organization: Organization, changes: dict[str, Any], previous: dict[str, Any]
) -> None:
    start = tomorrow()

    def absolute(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: start + value if name.endswith("Time") else value for name, value in fields.items()}

    booking = organization.bookings.book(
        organization.resources.create(), start, start + HOUR, title="Planning"
    )
    answer = organization.bookings.patch(booking, **absolute(changes))
    assert answer.status_code == 200, answer.text
    changed = data_of(answer)
    assert changed == {**booking, **absolute(changes), "updated": changed["updated"]}
    assert organization.bookings.read(booking) == changed
    [told] = organization.events(type="booking.updated")
    data = {"object": shown(changed, WHOLE), "previousAttributes": absolute(previous)}
    assert told == envelope(organization, "booking.updated", told, data)


def test_a_change_without_effect_writes_no_event(organization: Organization) -> None:
    booking = organization.bookings.book(
        organization.resources.create(), tomorrow(), tomorrow() + HOUR, title="Planning"
    )
    answer = organization.bookings.patch(booking, title="Planning", startTime=booking["startTime"])
    assert (answer.status_code, data_of(answer)) == (200, booking)
    assert organization.events(type="booking.updated") == []


def test_a_cancellation_records_who_and_when_and_writes_an_event(organization: Organization) -> None:
    user = organization.new_user("Reception")
    reception = organization.client(bearer=organization.log_in(user["email"])["token"])
    booking = organization.bookings.book(
        organization.resources.create(checkInRequired=True), tomorrow(), tomorrow() + HOUR
    )
    answer = reception.post(f"{organization.path}/bookings/{booking['id']}/cancel")
    assert answer.status_code == 200, answer.text
    cancelled = data_of(answer)
    assert cancelled == {
        **booking,
        "status": "Cancelled",
        "cancelledBy": user["id"],
        "cancelledAt": cancelled["cancelledAt"],
        "releaseAt": None,
        "updated": cancelled["updated"],
    }
    assert booking["created"] <= cancelled["cancelledAt"] <= now()
    assert organization.bookings.read(booking) == cancelled
    [told] = organization.events(type="booking.cancelled")
    data = {
        "object": shown(cancelled, "id resourceId status cancelledBy cancelledAt created"),
        "previousAttributes": {"status": "Confirmed"},
    }
    assert told == envelope(organization, "booking.cancelled", told, data)


def test_a_check_in_keeps_the_slot_and_writes_an_event(organization: Organization) -> None:
    resource = organization.resources.create(checkInRequired=True)
    booking = organization.bookings.book(resource, now() + 5 * MINUTE, now() + HOUR)
    answer = organization.bookings.post_verb(booking, "check-in")
    assert answer.status_code == 200, answer.text
    checked_in = data_of(answer)
    assert checked_in == {
        **booking,
        "status": "CheckedIn",
        "checkedInAt": checked_in["checkedInAt"],
        "releaseAt": None,
        "updated": checked_in["updated"],
    }
    assert booking["created"] <= checked_in["checkedInAt"] <= now()
    assert organization.bookings.read(booking) == checked_in
    [told] = organization.events(type="booking.checked_in")
    data = {
        "object": shown(checked_in, "id resourceId status checkedInAt created"),
        "previousAttributes": {"status": "Confirmed"},
    }
    assert told == envelope(organization, "booking.checked_in", told, data)
    assert organization.bookings.post(resource, booking["startTime"], booking["endTime"]).status_code == 409


def test_check_in_before_its_window_is_refused(organization: Organization) -> None:
    booking = organization.bookings.book(organization.resources.create(), tomorrow(), tomorrow() + HOUR)
    answer = organization.bookings.post_verb(booking, "check-in")
    opens = booking["startTime"] - 15 * MINUTE
    assert (answer.status_code, answer.json()["message"]) == (
        409,
        f"It is too early to check in; this booking takes check-ins from {opens} (Unix seconds) on.",
    )
    assert organization.bookings.read(booking) == booking


def cancelled(organization: Organization, booking: dict[str, Any]) -> None:
    assert organization.bookings.post_verb(booking, "cancel").status_code == 200


def checked_in(organization: Organization, booking: dict[str, Any]) -> None:
    assert organization.bookings.post_verb(booking, "check-in").status_code == 200


def no_show(organization: Organization, booking: dict[str, Any]) -> None:
    assert organization.bookings.release_no_shows(booking["releaseAt"]) >= 1


@pytest.mark.parametrize(
    ("reach", "status"), [(cancelled, "Cancelled"), (checked_in, "CheckedIn"), (no_show, "NoShow")]
)
def test_end_states_allow_no_moves(
    organization: Organization, reach: Callable[[Organization, dict[str, Any]], None], status: str
) -> None:
    resource = organization.resources.create(checkInRequired=True)
    booking = organization.bookings.book(resource, now() + 5 * MINUTE, now() + HOUR)
    reach(organization, booking)
    before = organization.bookings.read(booking)
    assert before["status"] == status
    told = {
        kind: organization.events(type=kind)
        for kind in ("booking.cancelled", "booking.checked_in", "booking.updated")
    }
    for verb in ("cancel", "check-in"):
        answer = organization.bookings.post_verb(booking, verb)
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"A booking that is {status} can't {verb}; allowed from here: none.",
        )
    for changes in ({"title": "New"}, {"endTime": booking["endTime"] + 60}):
        answer = organization.bookings.patch(booking, **changes)
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"A booking that is {status} can't be changed; only a Confirmed one can.",
        )
    assert organization.bookings.read(booking) == before
    assert {kind: organization.events(type=kind) for kind in told} == told


def test_a_stale_if_match_moves_nothing(organization: Organization) -> None:
    booking = organization.bookings.book(organization.resources.create(), tomorrow(), tomorrow() + HOUR)
    path = f"{organization.path}/bookings/{booking['id']}"
    stale = {"If-Match": organization.api.get(path).headers["etag"]}
    assert organization.bookings.patch(booking, title="New").status_code == 200
    assert organization.api.patch(path, json={"title": "Newer"}, headers=stale).status_code == 412
    assert organization.api.post(f"{path}/cancel", headers=stale).status_code == 412
    assert organization.api.post(f"{path}/check-in", headers=stale).status_code == 412
    fresh = {"If-Match": organization.api.get(path).headers["etag"]}
    assert organization.api.post(f"{path}/cancel", headers=fresh).status_code == 200


def test_a_repeated_request_books_once(organization: Organization) -> None:
    body = {
        "resourceId": organization.resources.create()["id"],
        "startTime": tomorrow(),
        "endTime": tomorrow() + HOUR,
    }
    first, second = (
        organization.api.post(f"{organization.path}/bookings", json=body, headers={"Idempotency-Key": "one"})
        for _ in range(2)
    )
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert len(organization.events(type="booking.created")) == 1
