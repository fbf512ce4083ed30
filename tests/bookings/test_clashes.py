"""Two bookings of one resource never overlap, whatever happens at once."""

import random
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.bookings.helpers import HOUR, MINUTE, now, tomorrow
from tests.support.answers import data_of
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
def test_intervals_are_half_open(organization: Organization, start: int, end: int, free: bool) -> None:
    resource, begin = organization.resources.create(), tomorrow()
    organization.bookings.book(resource, begin, begin + HOUR)
    other = organization.bookings.book(organization.resources.create(), begin + start, begin + end)
    assert organization.bookings.post(resource, begin + start, begin + end).status_code == (
        201 if free else 409
    )
    assert organization.bookings.read(other)["status"] == "Confirmed"


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        (-HOUR, -15 * MINUTE, True),
        (-HOUR, -15 * MINUTE + 1, False),
        (75 * MINUTE, 80 * MINUTE, True),
        (75 * MINUTE - 1, 80 * MINUTE, False),
    ],
)
def test_the_buffer_lies_between_neighbours(
    organization: Organization, start: int, end: int, free: bool
) -> None:
    resource, begin = organization.resources.create(bufferMinutes=15), tomorrow()
    organization.bookings.book(resource, begin, begin + HOUR)
    assert organization.bookings.post(resource, begin + start, begin + end).status_code == (
        201 if free else 409
    )


def test_a_conflict_names_the_other_booking_and_the_next_free_slot(organization: Organization) -> None:
    resource, begin = organization.resources.create(name="Room Elbe"), tomorrow()
    first = organization.bookings.book(resource, begin, begin + HOUR)
    organization.bookings.book(resource, begin + 90 * MINUTE, begin + 3 * HOUR)
    answer = organization.bookings.post(resource, begin + 30 * MINUTE, begin + 90 * MINUTE)
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
    assert answer.json()["message"] == (
        f"Room Elbe is taken: booking {first['id']} lasts from {begin} to {begin + HOUR}; the next free slot of this "
        f"length is {begin + 3 * HOUR} to {begin + 4 * HOUR} (Unix seconds)."
    )
    answer = organization.bookings.post(resource, begin + 30 * MINUTE, begin + HOUR)
    assert f"is {begin + HOUR} to {begin + 90 * MINUTE} (" in answer.json()["message"]
    assert len(organization.events(type="booking.created")) == 2


def test_a_conflict_within_the_buffer_mentions_the_buffer(organization: Organization) -> None:
    resource, begin = organization.resources.create(name="Room Elbe", bufferMinutes=10), tomorrow()
    first = organization.bookings.book(resource, begin, begin + HOUR)
    answer = organization.bookings.post(resource, begin + HOUR, begin + 2 * HOUR)
    assert answer.json()["message"] == (
        f"Room Elbe is taken: booking {first['id']} lasts from {begin} to {begin + HOUR} and 10 minutes must lie between "
        f"bookings; the next free slot of this length is {begin + 70 * MINUTE} to {begin + 130 * MINUTE} (Unix seconds)."
    )
    free = begin + 70 * MINUTE
    assert organization.bookings.post(resource, free, free + HOUR).status_code == 201


def test_a_moved_booking_clashes_with_others_but_not_with_itself(organization: Organization) -> None:
    resource, begin = organization.resources.create(), tomorrow()
    first = organization.bookings.book(resource, begin, begin + HOUR)
    second = organization.bookings.book(resource, begin + 2 * HOUR, begin + 3 * HOUR)
    answer = organization.bookings.patch(second, startTime=begin + 30 * MINUTE)
    assert answer.status_code == 409
    assert f"booking {first['id']} lasts from {begin} to {begin + HOUR};" in answer.json()["message"]
    assert organization.bookings.read(second) == second
    assert organization.events(type="booking.updated") == []
    answer = organization.bookings.patch(second, startTime=begin + HOUR, endTime=begin + 150 * MINUTE)
    assert answer.status_code == 200, answer.text
    assert organization.bookings.patch(first, endTime=begin + HOUR + 1).status_code == 409


def test_a_cancelled_booking_frees_its_slot(organization: Organization) -> None:
    resource, begin = organization.resources.create(), tomorrow()
    booking = organization.bookings.book(resource, begin, begin + HOUR)
    assert organization.bookings.post(resource, begin, begin + HOUR).status_code == 409
    assert organization.bookings.post_verb(booking, "cancel").status_code == 200
    assert organization.bookings.post(resource, begin, begin + HOUR).status_code == 201


def test_one_of_32_concurrent_bookings_of_a_slot_succeeds(organization: Organization) -> None:
    resource, begin = organization.resources.create(), tomorrow()

    def want(_number: int) -> httpx.Response:
        return organization.bookings.post(resource, begin, begin + HOUR)

    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(want, range(32)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 31
    [winner] = [data_of(answer) for answer in answers if answer.status_code == 201]
    assert all(winner["id"] in answer.json()["message"] for answer in answers if answer.status_code == 409)
    assert data_of(organization.api.get(f"{organization.path}/bookings")) == [winner]
    assert len(organization.events(type="booking.created")) == 1


@pytest.mark.parametrize("buffer", [0, 10])
def test_moves_and_bookings_at_once_never_overlap(organization: Organization, buffer: int) -> None:
    resource, begin = organization.resources.create(bufferMinutes=buffer), tomorrow()
    chance = random.Random(buffer)  # the same wishes every time; only their order is up to the machine
    bookings = [
        organization.bookings.book(resource, begin + 2 * number * HOUR, begin + (2 * number + 1) * HOUR)
        for number in range(8)
    ]

    def wish(number: int) -> tuple[int, int, int]:
        start = begin + chance.randrange(0, 16 * HOUR, 10 * MINUTE)
        return number, start, start + chance.randrange(20 * MINUTE, 2 * HOUR, 10 * MINUTE)

    def act(wanted: tuple[int, int, int]) -> int:
        number, start, end = wanted
        if number % 3 == 0:
            return organization.bookings.post(resource, start, end).status_code
        return organization.bookings.patch(
            bookings[number % len(bookings)], startTime=start, endTime=end
        ).status_code

    with ThreadPoolExecutor(16) as threads:
        statuses = list(threads.map(act, [wish(number) for number in range(96)]))
    assert set(statuses) == {200, 201, 409}
    assert organization.sql(CLOSER_THAN_THE_BUFFER, organization.id) == []
    assert len(organization.events(type="booking.updated")) == statuses.count(200)


def test_the_overlap_statement_finds_overlaps(organization: Organization) -> None:
    """The statement that the test above trusts finds what it is to find."""
    resource, begin = organization.resources.create(bufferMinutes=10), tomorrow()
    first = organization.bookings.book(resource, begin, begin + HOUR)
    second = organization.bookings.book(resource, begin + 2 * HOUR, begin + 3 * HOUR)
    assert organization.sql(CLOSER_THAN_THE_BUFFER, organization.id) == []
    organization.sql(
        "UPDATE bookings SET start_time = $3 WHERE organization_id = $1 AND id = $2",
        organization.id,
        second["id"],
        begin + 65 * MINUTE,
    )
    assert [tuple(row) for row in organization.sql(CLOSER_THAN_THE_BUFFER, organization.id)] == [
        (first["id"], second["id"])
    ]


def test_concurrent_moves_of_a_booking_both_write_events(organization: Organization) -> None:
    resource, begin = organization.resources.create(), tomorrow()
    booking = organization.bookings.book(resource, begin, begin + HOUR)
    with ThreadPoolExecutor(2) as threads:
        answers = list(
            threads.map(lambda title: organization.bookings.patch(booking, title=title), ["One", "Two"])
        )
    assert [answer.status_code for answer in answers] == [200, 200]
    before = [
        told["data"]["previousAttributes"]["title"] for told in organization.events(type="booking.updated")
    ]
    assert before[0] is None
    assert before[-1] in {"One", "Two"}
    assert organization.bookings.read(booking)["title"] == ({"One", "Two"} - {before[-1]}).pop()


def test_one_of_many_concurrent_cancels_and_check_ins_succeeds(organization: Organization) -> None:
    begin = now() + 5 * MINUTE  # at any time of an hour, both are possible
    booking = organization.bookings.book(
        organization.resources.create(bufferMinutes=120), begin, begin + HOUR
    )
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(
                lambda verb: organization.bookings.post_verb(booking, verb), ["cancel", "check-in"] * 4
            )
        )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    assert (
        len(organization.events(type="booking.cancelled") + organization.events(type="booking.checked_in"))
        == 1
    )
