"""A booking without a check-in in time is released, once, whichever worker finds it."""

import asyncio
from collections.abc import Callable

import asyncpg
from tests.bookings.helpers import (
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

from steward.bookings.jobs import release_no_shows
from steward.kit.db.pool import Pool


def test_a_no_show_frees_the_slot_and_writes_an_event(organization: Organization) -> None:
    resource, begin = organization.resources.create(checkInRequired=True, releaseAfterMinutes=10), tomorrow()
    booking = organization.bookings.book(resource, begin, begin + HOUR)
    assert booking["releaseAt"] == begin + 10 * MINUTE
    organization.bookings.release_no_shows(begin + 10 * MINUTE - 1)
    assert organization.bookings.read(booking) == booking
    organization.bookings.release_no_shows(begin + 10 * MINUTE)
    given_up = organization.bookings.read(booking)
    assert given_up == {**booking, "status": "NoShow", "releaseAt": None, "updated": given_up["updated"]}
    [told] = organization.events(type="booking.no_show")
    data = {"object": shown(given_up, WHOLE), "previousAttributes": {"status": "Confirmed"}}
    assert told == envelope(organization, "booking.no_show", told, data)
    assert organization.bookings.post(resource, begin, begin + HOUR).status_code == 201
    organization.bookings.release_no_shows(begin + 10 * MINUTE - 1)
    assert len(organization.events(type="booking.no_show")) == 1


def test_only_confirmed_bookings_with_check_in_are_released(organization: Organization) -> None:
    strict, easy = organization.resources.create(checkInRequired=True), organization.resources.create()
    soon = now() + 5 * MINUTE
    there = organization.bookings.book(strict, soon, soon + HOUR)
    assert organization.bookings.post_verb(there, "check-in").status_code == 200
    cancelled = organization.bookings.book(strict, soon + 2 * HOUR, soon + 3 * HOUR)
    assert organization.bookings.post_verb(cancelled, "cancel").status_code == 200
    unchecked = organization.bookings.book(easy, soon, soon + HOUR)
    missed = organization.bookings.book(strict, soon + 4 * HOUR, soon + 5 * HOUR)
    organization.bookings.release_no_shows(soon + 10 * HOUR)
    statuses = [
        organization.bookings.read(booking)["status"] for booking in (there, cancelled, unchecked, missed)
    ]
    assert statuses == ["CheckedIn", "Cancelled", "Confirmed", "NoShow"]
    assert [told["data"]["object"]["id"] for told in organization.events(type="booking.no_show")] == [
        missed["id"]
    ]


def test_a_moved_booking_is_released_later(organization: Organization) -> None:
    resource, begin = organization.resources.create(checkInRequired=True), tomorrow()
    booking = organization.bookings.book(resource, begin, begin + HOUR)
    later = {"startTime": begin + 2 * HOUR, "endTime": begin + 3 * HOUR}
    answer = organization.api.patch(f"{organization.path}/bookings/{booking['id']}", json=later)
    assert data_of(answer)["releaseAt"] == begin + 2 * HOUR + 15 * MINUTE
    organization.bookings.release_no_shows(begin + HOUR)
    assert organization.bookings.read(booking)["status"] == "Confirmed"


def test_several_workers_give_up_every_booking_once(organization: Organization) -> None:
    resource, begin = organization.resources.create(checkInRequired=True), tomorrow()
    count = 105  # more than one batch
    for number in range(count):
        start = begin + number * MINUTE
        organization.bookings.book(resource, start, start + MINUTE)

    async def work(pool: Pool) -> list[int]:
        return await asyncio.gather(*(release_no_shows(pool, begin + 10 * HOUR) for _ in range(4)))

    released = organization.with_pool(work, size=8)
    assert sum(released) >= count  # the workers also see what other tests left
    found = organization.api.get(f"{organization.path}/bookings.ndjson?status=NoShow").text.splitlines()
    assert len(found) == count
    told = organization.api.get(f"/v2{organization.path}/events?type=booking.no_show&limit=100").json()
    rest = organization.api.get(
        f"/v2{organization.path}/events",
        params={"type": "booking.no_show", "limit": 100, "lastEvaluatedKey": told["lastEvaluatedKey"]},
    ).json()
    about = [event["data"]["object"]["id"] for event in told["data"] + rest["data"]]
    assert len(about) == len(set(about)) == count


def test_locked_records_wait_for_the_next_check(organization: Organization) -> None:
    resource, begin = organization.resources.create(checkInRequired=True), tomorrow()
    booking = organization.bookings.book(resource, begin, begin + HOUR)

    async def look_while_held() -> None:
        connection = await asyncpg.connect(organization.database_url)
        pool = Pool(organization.database_url, 2)
        try:
            async with connection.transaction():
                statement = "SELECT 1 FROM bookings WHERE organization_id = $1 AND id = $2 FOR UPDATE"
                await connection.execute(statement, organization.id, booking["id"])
                await release_no_shows(pool, begin + HOUR)
        finally:
            await pool.close()
            await connection.close()

    asyncio.run(look_while_held())
    assert organization.bookings.read(booking)["status"] == "Confirmed"
    organization.bookings.release_no_shows(begin + HOUR)
    assert organization.bookings.read(booking)["status"] == "NoShow"


def test_each_organization_is_notified_of_its_own_changes(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    other = new_organization()
    begin = tomorrow()
    bookings = [
        where.bookings.book(where.resources.create(checkInRequired=True), begin, begin + HOUR)
        for where in (organization, other)
    ]
    organization.bookings.release_no_shows(begin + HOUR)
    for where, booking in zip((organization, other), bookings, strict=True):
        assert [told["data"]["object"]["id"] for told in where.events(type="booking.no_show")] == [
            booking["id"]
        ]
