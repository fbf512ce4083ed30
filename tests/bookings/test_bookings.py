from collections.abc import Callable
from typing import Any

import pytest
from tests.bookings.helpers import (
    DAY,
    HOUR,
    MINUTE,
    WHOLE,
    envelope,
    events,
    move,
    new_booking,
    new_resource,
    now,
    patch,
    post_booking,
    read,
    release,
    shown,
    tomorrow,
)
from tests.support.organizations import Organization


def test_a_new_booking_is_confirmed_can_be_read_is_listed_and_told(org: Organization) -> None:
    floor = org.created("locations", {"name": "One", "type": "Floor"})["id"]
    resource = new_resource(org, name="Room Elbe", locationId=floor)
    start = tomorrow()
    answer = post_booking(org, resource, start, start + HOUR, title="Weekly planning")
    assert answer.status_code == 201, answer.text
    booking = answer.json()["data"]
    assert booking["id"].startswith("bkg_")
    assert booking == {
        "id": booking["id"],
        "title": "Weekly planning",
        "resourceId": resource["id"],
        "resourceName": "Room Elbe",
        "locationId": floor,
        "bookedBy": org.user_id,
        "startTime": start,
        "endTime": start + HOUR,
        "status": "Confirmed",
        "cancelledBy": None,
        "cancelledAt": None,
        "checkedInAt": None,
        "releaseAt": None,
        "created": booking["created"],
        "updated": booking["created"],
    }
    assert answer.headers["location"] == f"{org.path}/bookings/{booking['id']}"
    assert org.api.get(answer.headers["location"]).json() == {"data": booking}
    assert org.api.get(f"{org.path}/bookings").json() == {"data": [booking], "lastEvaluatedKey": None}
    [told] = events(org, "booking.created")
    assert told == envelope(org, "booking.created", told, {"object": shown(booking, WHOLE)})


def test_a_booking_keeps_the_name_under_which_the_resource_was_booked(org: Organization) -> None:
    resource = new_resource(org, name="Room Elbe")
    booking = new_booking(org, resource, tomorrow(), tomorrow() + HOUR)
    assert booking["title"] is None
    org.api.patch(f"{org.path}/resources/{resource['id']}", json={"name": "Room Alster"})
    assert read(org, booking)["resourceName"] == "Room Elbe"


def test_a_booking_may_be_made_for_somebody_else(org: Organization) -> None:
    user = org.new_user("Requester")
    booking = new_booking(org, new_resource(org), tomorrow(), tomorrow() + HOUR, bookedBy=user["id"])
    assert booking["bookedBy"] == user["id"]


def test_references_to_what_is_absent_or_foreign_are_named(
    org: Organization, found: Callable[..., Organization]
) -> None:
    other = found()
    resource, start = new_resource(org), tomorrow()
    for id in (new_resource(other)["id"], "rsc_nothing"):
        answer = post_booking(org, {"id": id}, start, start + HOUR)
        assert (answer.status_code, answer.json()["details"]) == (
            422,
            [{"field": "resourceId", "message": "names no bookable resource of this organization"}],
        )
    for id in (other.user_id, "usr_nobody"):
        answer = post_booking(org, resource, start, start + HOUR, bookedBy=id)
        assert (answer.status_code, answer.json()["details"]) == (
            422,
            [{"field": "bookedBy", "message": "names no user of this organization"}],
        )
    assert org.api.get(f"{org.path}/bookings").json()["data"] == []
    assert events(org, "booking.created") == []


def test_a_booking_of_another_organization_is_not_there(
    org: Organization, found: Callable[..., Organization]
) -> None:
    other = found()
    foreign = new_booking(other, new_resource(other), tomorrow(), tomorrow() + HOUR)
    for id in (foreign["id"], "bkg_nothing"):
        path = f"{org.path}/bookings/{id}"
        for answer in (
            org.api.get(path),
            org.api.patch(path, json={"title": "Mine"}),
            org.api.post(f"{path}/cancel"),
            org.api.post(f"{path}/check-in"),
        ):
            assert (answer.status_code, answer.json()["message"]) == (404, "There is no such booking.")
    assert read(other, foreign) == foreign


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
    org: Organization, fields: dict[str, Any], field: str, message: str | None
) -> None:
    resource, start = new_resource(org), tomorrow()
    if message is not None:
        fields = {"endTime": start + (31 * DAY + 1 if fields["endTime"] else 0)}
    booking = new_booking(org, resource, start, start + HOUR)
    body = {"resourceId": resource["id"], "startTime": start, "endTime": start + HOUR, **fields}
    for answer in (org.api.post(f"{org.path}/bookings", json=body), patch(org, booking, **fields)):
        assert answer.status_code == 422, answer.text
        [detail] = answer.json()["details"]
        assert detail["field"] == field
        assert message is None or detail["message"] == message
    assert read(org, booking) == booking


def test_the_longest_booking_is_31_days(org: Organization) -> None:
    assert post_booking(org, new_resource(org), tomorrow(), tomorrow() + 31 * DAY).status_code == 201


def test_what_has_begun_can_be_booked_but_not_what_is_over(org: Organization) -> None:
    resource = new_resource(org)
    answer = post_booking(org, resource, now() - 2 * HOUR, now() - HOUR)
    assert (answer.status_code, answer.json()["details"]) == (
        422,
        [{"field": "endTime", "message": "lies in the past"}],
    )
    booking = new_booking(org, resource, now() - HOUR, now() + HOUR)
    assert patch(org, booking, startTime=now() - 3 * HOUR, endTime=now() - 2 * HOUR).status_code == 422


def test_an_inactive_resource_takes_no_bookings_and_no_moves(org: Organization) -> None:
    resource, start = new_resource(org, name="Room Elbe"), tomorrow()
    booking = new_booking(org, resource, start, start + HOUR)
    org.api.patch(f"{org.path}/resources/{resource['id']}", json={"active": False})
    for answer in (
        post_booking(org, resource, start + DAY, start + DAY + HOUR),
        patch(org, booking, endTime=start + 60),
    ):
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            "Room Elbe is not active and takes no bookings.",
        )
    assert patch(org, booking, title="Still mine").status_code == 200
    assert move(org, booking, "cancel").status_code == 200


def test_lists_and_exports_can_be_narrowed(org: Organization) -> None:
    floor = org.created("locations", {"name": "One", "type": "Floor"})["id"]
    room, context, start = new_resource(org, locationId=floor), new_resource(org, type="Desk"), tomorrow()
    user = org.new_user("Requester")["id"]
    first = new_booking(org, room, start, start + HOUR)
    second = new_booking(org, room, start + DAY, start + DAY + HOUR, bookedBy=user)
    third = move(org, new_booking(org, context, start, start + HOUR), "cancel").json()["data"]
    expected = {
        "": [third, second, first],
        f"resourceId={context['id']}": [third],
        f"locationId={floor}": [second, first],
        f"bookedBy={user}": [second],
        "status=Cancelled": [third],
        f"startsAfter={start}": [second],
        f"startsBefore={start + 1}": [third, first],
        f"startsBefore={start}": [],
        f"endsAfter={start + HOUR}": [second],
        f"endsAfter={start + HOUR - 1}&startsBefore={start + HOUR}": [third, first],
        f"updatedAfter={third['updated']}": [],
        f"resourceId={room['id']}&locationId={floor}&bookedBy={user}&status=Confirmed&startsAfter=1"
        f"&startsBefore={start + 2 * DAY}&endsAfter=1&updatedAfter=1": [second],
    }
    for query, bookings in expected.items():
        assert org.api.get(f"{org.path}/bookings?{query}").json()["data"] == bookings, query
        lines = org.api.get(f"{org.path}/bookings.ndjson?{query}").text.splitlines()
        assert len(lines) == len(bookings), query
    csv = org.api.get(f"{org.path}/bookings.csv?status=Cancelled").text.splitlines()
    assert csv[0].startswith("id,title,resourceId,resourceName,locationId,bookedBy,startTime,endTime,status")
    assert csv[1].startswith(f"{third['id']},,{context['id']},Room Elbe,,{org.user_id},{start}")


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
def test_a_change_is_stored_and_told_with_what_was_before(
    org: Organization, changes: dict[str, Any], previous: dict[str, Any]
) -> None:
    start = tomorrow()

    def absolute(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: start + value if name.endswith("Time") else value for name, value in fields.items()}

    booking = new_booking(org, new_resource(org), start, start + HOUR, title="Planning")
    answer = patch(org, booking, **absolute(changes))
    assert answer.status_code == 200, answer.text
    changed = answer.json()["data"]
    assert changed == {**booking, **absolute(changes), "updated": changed["updated"]}
    assert read(org, booking) == changed
    [told] = events(org, "booking.updated")
    data = {"object": shown(changed, WHOLE), "previousAttributes": absolute(previous)}
    assert told == envelope(org, "booking.updated", told, data)


def test_a_change_that_changes_nothing_is_not_told(org: Organization) -> None:
    booking = new_booking(org, new_resource(org), tomorrow(), tomorrow() + HOUR, title="Planning")
    answer = patch(org, booking, title="Planning", startTime=booking["startTime"])
    assert (answer.status_code, answer.json()["data"]) == (200, booking)
    assert events(org, "booking.updated") == []


def test_a_cancellation_names_who_and_when_and_is_told(org: Organization) -> None:
    user = org.new_user("Reception")
    reception = org.client(bearer=org.log_in(user["email"])["token"])
    booking = new_booking(org, new_resource(org, checkInRequired=True), tomorrow(), tomorrow() + HOUR)
    answer = reception.post(f"{org.path}/bookings/{booking['id']}/cancel")
    assert answer.status_code == 200, answer.text
    cancelled = answer.json()["data"]
    assert cancelled == {
        **booking,
        "status": "Cancelled",
        "cancelledBy": user["id"],
        "cancelledAt": cancelled["cancelledAt"],
        "releaseAt": None,
        "updated": cancelled["updated"],
    }
    assert booking["created"] <= cancelled["cancelledAt"] <= now()
    assert read(org, booking) == cancelled
    [told] = events(org, "booking.cancelled")
    data = {
        "object": shown(cancelled, "id resourceId status cancelledBy cancelledAt created"),
        "previousAttributes": {"status": "Confirmed"},
    }
    assert told == envelope(org, "booking.cancelled", told, data)


def test_a_check_in_keeps_the_slot_and_is_told(org: Organization) -> None:
    resource = new_resource(org, checkInRequired=True)
    booking = new_booking(org, resource, now() + 5 * MINUTE, now() + HOUR)
    answer = move(org, booking, "check-in")
    assert answer.status_code == 200, answer.text
    checked_in = answer.json()["data"]
    assert checked_in == {
        **booking,
        "status": "CheckedIn",
        "checkedInAt": checked_in["checkedInAt"],
        "releaseAt": None,
        "updated": checked_in["updated"],
    }
    assert booking["created"] <= checked_in["checkedInAt"] <= now()
    assert read(org, booking) == checked_in
    [told] = events(org, "booking.checked_in")
    data = {
        "object": shown(checked_in, "id resourceId status checkedInAt created"),
        "previousAttributes": {"status": "Confirmed"},
    }
    assert told == envelope(org, "booking.checked_in", told, data)
    assert post_booking(org, resource, booking["startTime"], booking["endTime"]).status_code == 409


def test_nobody_checks_in_too_early(org: Organization) -> None:
    booking = new_booking(org, new_resource(org), tomorrow(), tomorrow() + HOUR)
    answer = move(org, booking, "check-in")
    opens = booking["startTime"] - 15 * MINUTE
    assert (answer.status_code, answer.json()["message"]) == (
        409,
        f"It is too early to check in; this booking takes check-ins from {opens} (Unix seconds) on.",
    )
    assert read(org, booking) == booking


def cancelled(org: Organization, booking: dict[str, Any]) -> None:
    assert move(org, booking, "cancel").status_code == 200


def checked_in(org: Organization, booking: dict[str, Any]) -> None:
    assert move(org, booking, "check-in").status_code == 200


def no_show(org: Organization, booking: dict[str, Any]) -> None:
    assert release(org, booking["releaseAt"]) >= 1


@pytest.mark.parametrize(
    ("reach", "status"), [(cancelled, "Cancelled"), (checked_in, "CheckedIn"), (no_show, "NoShow")]
)
def test_from_an_end_state_nothing_is_possible(
    org: Organization, reach: Callable[[Organization, dict[str, Any]], None], status: str
) -> None:
    resource = new_resource(org, checkInRequired=True)
    booking = new_booking(org, resource, now() + 5 * MINUTE, now() + HOUR)
    reach(org, booking)
    before = read(org, booking)
    assert before["status"] == status
    told = {
        kind: events(org, kind) for kind in ("booking.cancelled", "booking.checked_in", "booking.updated")
    }
    for verb in ("cancel", "check-in"):
        answer = move(org, booking, verb)
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"A booking that is {status} can't {verb}; allowed from here: none.",
        )
    for changes in ({"title": "New"}, {"endTime": booking["endTime"] + 60}):
        answer = patch(org, booking, **changes)
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"A booking that is {status} can't be changed; only a Confirmed one can.",
        )
    assert read(org, booking) == before
    assert {kind: events(org, kind) for kind in told} == told


def test_a_stale_if_match_moves_nothing(org: Organization) -> None:
    booking = new_booking(org, new_resource(org), tomorrow(), tomorrow() + HOUR)
    path = f"{org.path}/bookings/{booking['id']}"
    stale = {"If-Match": org.api.get(path).headers["etag"]}
    assert patch(org, booking, title="New").status_code == 200
    assert org.api.patch(path, json={"title": "Newer"}, headers=stale).status_code == 412
    assert org.api.post(f"{path}/cancel", headers=stale).status_code == 412
    assert org.api.post(f"{path}/check-in", headers=stale).status_code == 412
    fresh = {"If-Match": org.api.get(path).headers["etag"]}
    assert org.api.post(f"{path}/cancel", headers=fresh).status_code == 200


def test_a_repeated_request_books_once(org: Organization) -> None:
    body = {"resourceId": new_resource(org)["id"], "startTime": tomorrow(), "endTime": tomorrow() + HOUR}
    first, second = (
        org.api.post(f"{org.path}/bookings", json=body, headers={"Idempotency-Key": "one"}) for _ in range(2)
    )
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert len(events(org, "booking.created")) == 1
