"""Bookings that repeat: all dates or none, changed one by one or together."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.bookings.helpers import DAY, HOUR, MINUTE, tomorrow
from tests.bookings.test_clashes import CLOSER_THAN_THE_BUFFER
from tests.support.answers import data_of
from tests.support.organizations import Organization

BERLIN = ZoneInfo("Europe/Berlin")
WEEK = 7 * DAY


@cache
def nine(days: int = 7) -> int:
    """Nine o'clock in Berlin, on a Monday that is at least so many days away."""
    day = dt.datetime.now(BERLIN).date() + dt.timedelta(days=days)
    day += dt.timedelta(days=-day.weekday() % 7)
    return int(dt.datetime.combine(day, dt.time(9), BERLIN).timestamp())


def in_berlin(organization: Organization, **fields: Any) -> dict[str, Any]:
    """A room whose floor has no zone of its own: that of the site holds."""
    site = organization.created("locations", {"name": "Site", "type": "Site", "timezone": "Europe/Berlin"})
    floor = organization.created("locations", {"name": "One", "type": "Floor", "parentId": site["id"]})
    return organization.resources.create(locationId=floor["id"], **fields)


def dates(organization: Organization, booking: dict[str, Any]) -> list[dict[str, Any]]:
    found = organization.bookings.listed(seriesId=booking["seriesId"], sort="start", limit=100)
    assert found
    return found


def walls(bookings: list[dict[str, Any]]) -> list[str]:
    return [f"{dt.datetime.fromtimestamp(b['startTime'], BERLIN):%a %H:%M}" for b in bookings]


def test_each_date_is_a_booking_and_keeps_its_time_over_the_year(organization: Organization) -> None:
    room, start = in_berlin(organization), nine()
    first = organization.bookings.book(
        room, start, start + HOUR, title="Round", recurrence="FREQ=WEEKLY;BYDAY=MO,WE;COUNT=60"
    )
    made = dates(organization, first)
    assert made[0] == first
    assert len(made) == 60
    assert walls(made) == ["Mon 09:00", "Wed 09:00"] * 30
    assert {b["recurrence"] for b in made} == {"FREQ=WEEKLY;BYDAY=MO,WE;COUNT=60"}
    assert len({b["startTime"] % DAY for b in made}) == 2  # clocks were changed in between
    told = {event["data"]["object"]["id"] for event in organization.events(type="booking.created", limit=100)}
    assert told == {b["id"] for b in made}


def test_a_conflict_names_its_dates_and_books_nothing(organization: Organization) -> None:
    room, start = in_berlin(organization, name="Elbe", bufferMinutes=10), nine()
    moments = [start + n * DAY for n in range(5)]
    second = organization.bookings.book(room, moments[1] + HOUR, moments[1] + 2 * HOUR, title="Budget")
    fourth = organization.bookings.book(room, moments[3] - HOUR, moments[3] + MINUTE)
    rule = {"recurrence": "FREQ=DAILY;COUNT=5", "title": "Round"}
    answer = organization.bookings.post(room, start, start + HOUR, **rule)
    assert answer.status_code == 409
    body = answer.json()
    assert body["message"].startswith(f"Elbe is taken on 2 of 5 dates: booking {second['id']} lasts from")
    assert body["conflicts"] == [
        {
            "bookingId": booking["id"],
            "resourceId": room["id"],
            "startTime": booking["startTime"],
            "endTime": booking["endTime"],
            "title": booking["title"],
            "wantedStartTime": wanted,
        }
        for booking, wanted in ((second, moments[1]), (fourth, moments[3]))
    ]
    assert body["nextFree"] == {
        "startTime": second["endTime"] + 10 * MINUTE,
        "endTime": second["endTime"] + 70 * MINUTE,
    }
    assert len(organization.events(type="booking.created")) == 2
    left_out = [f"{dt.datetime.fromtimestamp(moments[n], BERLIN):%Y-%m-%d}" for n in (1, 3)]
    made = organization.bookings.book(room, start, start + HOUR, exceptions=left_out, **rule)
    assert [b["startTime"] for b in dates(organization, made)] == [moments[n] for n in (0, 2, 4)]
    writer = organization.client(key=organization.new_key("bookings:write")["secret"])
    slot = {"resourceId": room["id"], "startTime": second["startTime"], "endTime": second["endTime"]}
    hidden = writer.post(organization.bookings.path, json=slot).json()["conflicts"]
    assert [(c["bookingId"], c["title"]) for c in hidden] == [(second["id"], None)]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"recurrence": "FREQ=DAILY"}, "recurrence"),
        ({"recurrence": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=3"}, "recurrence"),
        ({"recurrence": "FREQ=DAILY;COUNT=2", "endTime": 25 * HOUR}, "recurrence"),
        ({"exceptions": ["2026-12-24"]}, "exceptions"),
        ({"recurrence": "FREQ=DAILY;COUNT=2", "exceptions": ["soon"]}, "exceptions[0]"),
        ({"attendees": [{"email": "ada@example.com"}, {"email": "ADA@example.com"}]}, "attendees[1].email"),
        ({"attendees": [{"email": "nobody"}]}, "attendees[0].email"),
        ({"attendees": [{"email": "a@b", "role": "chair"}]}, "attendees[0].role"),
    ],
)
def test_a_wrong_series_is_named(organization: Organization, fields: dict[str, Any], field: str) -> None:
    start = nine()
    end = start + fields.pop("endTime", HOUR)
    answer = organization.bookings.post(organization.resources.create(), start, end, **fields)
    assert answer.status_code == 422, answer.text
    assert [detail["field"] for detail in answer.json()["details"]] == [field]


def scoped(organization: Organization, booking: dict[str, Any], scope: str, **changes: Any) -> Any:
    return organization.api.patch(organization.bookings.path_of(booking, f"?scope={scope}"), json=changes)


def test_one_date_is_changed_by_itself_and_then_stays(organization: Organization) -> None:
    room, start = in_berlin(organization), nine()
    first = organization.bookings.book(room, start, start + HOUR, recurrence="FREQ=WEEKLY;COUNT=5")
    second = dates(organization, first)[1]
    moved = organization.bookings.change(
        second, startTime=second["startTime"] + HOUR, endTime=second["endTime"] + HOUR
    )
    assert (moved["seriesId"], moved["recurrence"]) == (first["seriesId"], None)
    attendees = [{"email": "ada@example.com", "name": "Ada"}, {"email": "grace@example.com", "name": None}]
    answer = scoped(organization, first, "all", title="Late round", attendees=attendees)
    assert answer.status_code == 200, answer.text
    made = dates(organization, first)
    assert [b["title"] for b in made] == ["Late round", None, "Late round", "Late round", "Late round"]
    assert data_of(answer) == made[0]
    assert made[4]["attendees"] == attendees
    for told in organization.events(type="booking.updated")[1:]:
        assert told["data"]["previousAttributes"] == {"title": None}
        assert "ada@example.com" not in str(told)
    third = made[2]
    changes = {"startTime": third["startTime"] + DAY + HOUR, "endTime": third["startTime"] + DAY + 3 * HOUR}
    assert scoped(organization, third, "following", **changes).status_code == 200
    made = dates(organization, first)
    assert walls(made) == ["Mon 09:00", "Mon 10:00", "Tue 10:00", "Tue 10:00", "Tue 10:00"]
    assert [b["endTime"] - b["startTime"] for b in made] == [HOUR, HOUR, 2 * HOUR, 2 * HOUR, 2 * HOUR]
    assert len(organization.events(type="booking.updated")) == 8
    cleared = organization.bookings.change(made[4], attendees=None)
    assert cleared["attendees"] == []


def test_following_dates_and_all_are_cancelled(organization: Organization) -> None:
    room, start = in_berlin(organization), nine()
    first = organization.bookings.book(room, start, start + HOUR, recurrence="FREQ=DAILY;COUNT=5")
    made = dates(organization, first)
    organization.bookings.change(made[4], title="Another")
    organization.bookings.move(made[1], "cancel")
    headers = {"Idempotency-Key": "one and the same"}
    path = organization.bookings.path_of(made[3], "/cancel")
    answer = organization.api.post(f"{path}?scope=following", headers=headers)
    assert (answer.status_code, data_of(answer)["status"]) == (200, "Cancelled")
    assert organization.api.post(f"{path}?scope=all", headers=headers).status_code == 422
    statuses = [b["status"] for b in dates(organization, first)]
    assert statuses == ["Confirmed", "Cancelled", "Confirmed", "Cancelled", "Cancelled"]
    assert organization.api.post(f"{path}?scope=all").status_code == 409
    assert organization.bookings.move(made[2], "cancel?scope=all")["status"] == "Cancelled"
    assert {b["status"] for b in dates(organization, first)} == {"Cancelled"}
    assert len(organization.events(type="booking.cancelled")) == 5
    assert organization.api.post(f"{path}?scope=some").status_code == 422


def test_changing_a_whole_series_conflicts_with_others_but_not_with_itself(
    organization: Organization,
) -> None:
    room, start = in_berlin(organization), nine()
    first = organization.bookings.book(room, start, start + HOUR, recurrence="FREQ=DAILY;COUNT=3")
    other = organization.bookings.book(room, start + 2 * DAY + HOUR, start + 2 * DAY + 2 * HOUR)
    later = {"startTime": start + HOUR, "endTime": start + 2 * HOUR}
    answer = scoped(organization, first, "all", **later)
    assert answer.status_code == 409
    assert [c["bookingId"] for c in answer.json()["conflicts"]] == [other["id"]]
    assert dates(organization, first)[0] == first
    organization.bookings.move(other, "cancel")
    # A day later each date lies where another one was.
    tomorrow_too = {"startTime": start + DAY, "endTime": start + DAY + HOUR}
    assert scoped(organization, first, "all", **tomorrow_too).status_code == 200
    assert [b["startTime"] for b in dates(organization, first)] == [start + n * DAY for n in (1, 2, 3)]
    too_long = {"endTime": start + 3 * DAY}
    assert scoped(organization, first, "all", **too_long).json()["details"][0]["field"] == "endTime"


def test_a_booking_can_move_to_another_resource(organization: Organization) -> None:
    elbe, start = in_berlin(organization, name="Elbe"), tomorrow()
    alster = organization.resources.create(name="Alster", checkInRequired=True)
    closed = organization.resources.create(active=False)
    taken = organization.bookings.book(alster, start, start + HOUR)
    booking = organization.bookings.book(elbe, start, start + HOUR)
    refused = organization.bookings.patch(booking, resourceId=alster["id"])
    assert (refused.status_code, refused.json()["conflicts"][0]["bookingId"]) == (409, taken["id"])
    assert organization.bookings.patch(booking, resourceId=closed["id"]).status_code == 409
    absent = organization.bookings.patch(booking, resourceId="rsc_nothing")
    assert (absent.status_code, absent.json()["details"][0]["field"]) == (422, "resourceId")
    organization.bookings.move(taken, "cancel")
    moved = organization.bookings.change(booking, resourceId=alster["id"])
    assert (moved["resourceId"], moved["resourceName"], moved["locationId"]) == (alster["id"], "Alster", None)
    assert moved["releaseAt"] == start + 15 * MINUTE
    [told] = organization.events(type="booking.updated")
    assert told["data"]["previousAttributes"] == {
        "resourceId": elbe["id"],
        "resourceName": "Elbe",
        "locationId": elbe["locationId"],
    }
    assert organization.bookings.post(elbe, start, start + HOUR).status_code == 201
    assert organization.bookings.post(alster, start, start + HOUR).status_code == 409


def test_concurrent_bookings_never_overlap(organization: Organization) -> None:
    rooms = [organization.resources.create(bufferMinutes=10) for _ in range(2)]
    start = tomorrow()
    bookings = [
        organization.bookings.book(rooms[n % 2], start + n * 2 * HOUR, start + n * 2 * HOUR + HOUR)
        for n in range(6)
    ]
    first = organization.bookings.book(
        rooms[0], start + 13 * HOUR, start + 14 * HOUR, recurrence="FREQ=DAILY;COUNT=4"
    )
    series = dates(organization, first)

    def act(number: int) -> int:
        at, room = start + number % 7 * 2 * HOUR, rooms[number // 3 % 2]
        if number % 4 == 0:
            rule = {"recurrence": "FREQ=DAILY;COUNT=3"}
            return organization.bookings.post(room, at + HOUR // 2, at + HOUR, **rule).status_code
        if number % 4 == 1:
            booking = bookings[number % 6]
            fields = {"resourceId": room["id"], "startTime": at, "endTime": at + HOUR}
            return organization.bookings.patch(booking, **fields).status_code
        if number % 4 == 2:
            date = series[number % 4]
            fields = {
                "resourceId": room["id"],
                "startTime": date["startTime"] + HOUR,
                "endTime": date["endTime"] + HOUR,
            }
            status: int = scoped(organization, date, "following", **fields).status_code
            return status
        return organization.bookings.post(room, at, at + 90 * MINUTE).status_code

    with ThreadPoolExecutor(12) as threads:
        statuses = set(threads.map(act, range(48)))
    assert {200, 201, 409} <= statuses <= {200, 201, 409, 503}
    assert organization.sql(CLOSER_THAN_THE_BUFFER, organization.id) == []
