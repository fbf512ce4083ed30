"""Two bookings of one resource never overlap, whatever happens at once."""

import random
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.bookings.helpers import (
    HOUR,
    MINUTE,
    events,
    move,
    new_booking,
    new_resource,
    patch,
    post_booking,
    read,
    run_sql,
    tomorrow,
)
from tests.support.organizations import Organization

CLOSER_THAN_THE_BUFFER = """
    SELECT a.id, b.id FROM bookings a
    JOIN bookings b ON b.organization_id = a.organization_id AND b.resource_id = a.resource_id AND a.id < b.id
    JOIN bookable_resources r ON r.organization_id = a.organization_id AND r.id = a.resource_id
    WHERE a.organization_id = $1
      AND a.status IN ('Confirmed', 'CheckedIn') AND b.status IN ('Confirmed', 'CheckedIn')
      AND a.start_time < b.end_time + r.buffer_minutes * 60 AND b.start_time < a.end_time + r.buffer_minutes * 60"""


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        (-HOUR, 0, True),
        (HOUR, 2 * HOUR, True),
        (-HOUR, 1, False),
        (HOUR - 1, 2 * HOUR, False),
        (0, HOUR, False),
        (600, 1200, False),
        (-HOUR, 2 * HOUR, False),
    ],
)
def test_intervals_are_half_open(org: Organization, start: int, end: int, free: bool) -> None:
    resource, begin = new_resource(org), tomorrow()
    new_booking(org, resource, begin, begin + HOUR)
    other = new_booking(org, new_resource(org), begin + start, begin + end)
    assert post_booking(org, resource, begin + start, begin + end).status_code == (201 if free else 409)
    assert read(org, other)["status"] == "Confirmed"


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        (-HOUR, -15 * MINUTE, True),
        (-HOUR, -15 * MINUTE + 1, False),
        (75 * MINUTE, 80 * MINUTE, True),
        (75 * MINUTE - 1, 80 * MINUTE, False),
    ],
)
def test_the_buffer_lies_between_neighbours(org: Organization, start: int, end: int, free: bool) -> None:
    resource, begin = new_resource(org, bufferMinutes=15), tomorrow()
    new_booking(org, resource, begin, begin + HOUR)
    assert post_booking(org, resource, begin + start, begin + end).status_code == (201 if free else 409)


def test_a_clash_names_the_booking_in_the_way_and_the_next_free_slot(org: Organization) -> None:
    resource, begin = new_resource(org, name="Room Elbe"), tomorrow()
    first = new_booking(org, resource, begin, begin + HOUR)
    new_booking(org, resource, begin + 90 * MINUTE, begin + 3 * HOUR)
    answer = post_booking(org, resource, begin + 30 * MINUTE, begin + 90 * MINUTE)
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
    assert answer.json()["message"] == (
        f"Room Elbe is taken: booking {first['id']} lasts from {begin} to {begin + HOUR}; the next free slot of this "
        f"length is {begin + 3 * HOUR} to {begin + 4 * HOUR} (Unix seconds)."
    )
    answer = post_booking(org, resource, begin + 30 * MINUTE, begin + HOUR)
    assert f"is {begin + HOUR} to {begin + 90 * MINUTE} (" in answer.json()["message"]
    assert len(events(org, "booking.created")) == 2


def test_a_clash_speaks_of_the_buffer(org: Organization) -> None:
    resource, begin = new_resource(org, name="Room Elbe", bufferMinutes=10), tomorrow()
    first = new_booking(org, resource, begin, begin + HOUR)
    answer = post_booking(org, resource, begin + HOUR, begin + 2 * HOUR)
    assert answer.json()["message"] == (
        f"Room Elbe is taken: booking {first['id']} lasts from {begin} to {begin + HOUR} and 10 minutes must lie between "
        f"bookings; the next free slot of this length is {begin + 70 * MINUTE} to {begin + 130 * MINUTE} (Unix seconds)."
    )
    free = begin + 70 * MINUTE
    assert post_booking(org, resource, free, free + HOUR).status_code == 201


def test_a_moved_booking_clashes_with_others_but_not_with_itself(org: Organization) -> None:
    resource, begin = new_resource(org), tomorrow()
    first = new_booking(org, resource, begin, begin + HOUR)
    second = new_booking(org, resource, begin + 2 * HOUR, begin + 3 * HOUR)
    answer = patch(org, second, startTime=begin + 30 * MINUTE)
    assert answer.status_code == 409
    assert f"booking {first['id']} lasts from {begin} to {begin + HOUR};" in answer.json()["message"]
    assert read(org, second) == second
    assert events(org, "booking.updated") == []
    answer = patch(org, second, startTime=begin + HOUR, endTime=begin + 150 * MINUTE)
    assert answer.status_code == 200, answer.text
    assert patch(org, first, endTime=begin + HOUR + 1).status_code == 409


def test_a_cancelled_booking_frees_its_slot(org: Organization) -> None:
    resource, begin = new_resource(org), tomorrow()
    booking = new_booking(org, resource, begin, begin + HOUR)
    assert post_booking(org, resource, begin, begin + HOUR).status_code == 409
    assert move(org, booking, "cancel").status_code == 200
    assert post_booking(org, resource, begin, begin + HOUR).status_code == 201


def test_of_32_who_want_one_slot_at_once_one_gets_it(org: Organization) -> None:
    resource, begin = new_resource(org), tomorrow()

    def want(_number: int) -> httpx.Response:
        return post_booking(org, resource, begin, begin + HOUR)

    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(want, range(32)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 31
    [winner] = [answer.json()["data"] for answer in answers if answer.status_code == 201]
    assert all(winner["id"] in answer.json()["message"] for answer in answers if answer.status_code == 409)
    assert org.api.get(f"{org.path}/bookings").json()["data"] == [winner]
    assert len(events(org, "booking.created")) == 1


@pytest.mark.parametrize("buffer", [0, 10])
def test_moves_and_bookings_at_once_never_overlap(org: Organization, buffer: int) -> None:
    resource, begin = new_resource(org, bufferMinutes=buffer), tomorrow()
    chance = random.Random(buffer)  # the same wishes every time; only their order is up to the machine
    bookings = [
        new_booking(org, resource, begin + 2 * number * HOUR, begin + (2 * number + 1) * HOUR)
        for number in range(8)
    ]

    def wish(number: int) -> tuple[int, int, int]:
        start = begin + chance.randrange(0, 16 * HOUR, 10 * MINUTE)
        return number, start, start + chance.randrange(20 * MINUTE, 2 * HOUR, 10 * MINUTE)

    def act(wanted: tuple[int, int, int]) -> int:
        number, start, end = wanted
        if number % 3 == 0:
            return post_booking(org, resource, start, end).status_code
        return patch(org, bookings[number % len(bookings)], startTime=start, endTime=end).status_code

    with ThreadPoolExecutor(16) as threads:
        statuses = list(threads.map(act, [wish(number) for number in range(96)]))
    assert set(statuses) == {200, 201, 409}
    assert run_sql(org, CLOSER_THAN_THE_BUFFER, org.id) == []
    assert len(events(org, "booking.updated")) == statuses.count(200)


def test_the_question_of_overlap_can_be_answered_with_yes(org: Organization) -> None:
    """The statement that the test above trusts finds what it is to find."""
    resource, begin = new_resource(org, bufferMinutes=10), tomorrow()
    first = new_booking(org, resource, begin, begin + HOUR)
    second = new_booking(org, resource, begin + 2 * HOUR, begin + 3 * HOUR)
    assert run_sql(org, CLOSER_THAN_THE_BUFFER, org.id) == []
    run_sql(
        org,
        "UPDATE bookings SET start_time = $3 WHERE organization_id = $1 AND id = $2",
        org.id,
        second["id"],
        begin + 65 * MINUTE,
    )
    assert [tuple(row) for row in run_sql(org, CLOSER_THAN_THE_BUFFER, org.id)] == [
        (first["id"], second["id"])
    ]


def test_of_two_who_move_the_same_booking_at_once_both_are_told(org: Organization) -> None:
    resource, begin = new_resource(org), tomorrow()
    booking = new_booking(org, resource, begin, begin + HOUR)
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda title: patch(org, booking, title=title), ["One", "Two"]))
    assert [answer.status_code for answer in answers] == [200, 200]
    before = [told["data"]["previousAttributes"]["title"] for told in events(org, "booking.updated")]
    assert before[-1] is None
    assert before[0] in {"One", "Two"}
    assert read(org, booking)["title"] == ({"One", "Two"} - {before[0]}).pop()


def test_of_many_who_cancel_and_check_in_at_once_one_succeeds(org: Organization) -> None:
    begin = tomorrow() - 24 * HOUR + HOUR
    booking = new_booking(org, new_resource(org, bufferMinutes=120), begin, begin + HOUR)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda verb: move(org, booking, verb), ["cancel", "check-in"] * 4))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    assert len(events(org, "booking.cancelled") + events(org, "booking.checked_in")) == 1
