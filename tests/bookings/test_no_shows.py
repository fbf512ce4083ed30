"""A booking that nobody checks into in time is given up, once, whoever looks."""

import asyncio

import asyncpg
from tests.bookings.helpers import (
    HOUR,
    MINUTE,
    WHOLE,
    envelope,
    events,
    move,
    new_booking,
    new_resource,
    now,
    post_booking,
    read,
    release,
    shown,
    tomorrow,
    with_pool,
)
from tests.support.organizations import Organization

from steward.bookings.jobs import release_no_shows
from steward.kit.db.pool import Pool


def test_a_no_show_frees_the_slot_and_is_told(org: Organization) -> None:
    resource, begin = new_resource(org, checkInRequired=True, releaseAfterMinutes=10), tomorrow()
    booking = new_booking(org, resource, begin, begin + HOUR)
    assert booking["releaseAt"] == begin + 10 * MINUTE
    release(org, begin + 10 * MINUTE - 1)
    assert read(org, booking) == booking
    release(org, begin + 10 * MINUTE)
    given_up = read(org, booking)
    assert given_up == {**booking, "status": "NoShow", "releaseAt": None, "updated": given_up["updated"]}
    [told] = events(org, "booking.no_show")
    data = {"object": shown(given_up, WHOLE), "previousAttributes": {"status": "Confirmed"}}
    assert told == envelope(org, "booking.no_show", told, data)
    assert post_booking(org, resource, begin, begin + HOUR).status_code == 201
    release(org, begin + 10 * MINUTE - 1)
    assert len(events(org, "booking.no_show")) == 1


def test_only_confirmed_bookings_of_resources_with_check_in_are_given_up(org: Organization) -> None:
    strict, easy = new_resource(org, checkInRequired=True), new_resource(org)
    soon = now() + 5 * MINUTE
    there = new_booking(org, strict, soon, soon + HOUR)
    assert move(org, there, "check-in").status_code == 200
    cancelled = new_booking(org, strict, soon + 2 * HOUR, soon + 3 * HOUR)
    assert move(org, cancelled, "cancel").status_code == 200
    unchecked = new_booking(org, easy, soon, soon + HOUR)
    missed = new_booking(org, strict, soon + 4 * HOUR, soon + 5 * HOUR)
    release(org, soon + 10 * HOUR)
    statuses = [read(org, booking)["status"] for booking in (there, cancelled, unchecked, missed)]
    assert statuses == ["CheckedIn", "Cancelled", "Confirmed", "NoShow"]
    assert [told["data"]["object"]["id"] for told in events(org, "booking.no_show")] == [missed["id"]]


def test_a_moved_booking_is_given_up_later(org: Organization) -> None:
    resource, begin = new_resource(org, checkInRequired=True), tomorrow()
    booking = new_booking(org, resource, begin, begin + HOUR)
    later = {"startTime": begin + 2 * HOUR, "endTime": begin + 3 * HOUR}
    answer = org.api.patch(f"{org.path}/bookings/{booking['id']}", json=later)
    assert answer.json()["data"]["releaseAt"] == begin + 2 * HOUR + 15 * MINUTE
    release(org, begin + HOUR)
    assert read(org, booking)["status"] == "Confirmed"


def test_several_workers_give_up_every_booking_once(org: Organization) -> None:
    resource, begin = new_resource(org, checkInRequired=True), tomorrow()
    count = 105  # more than one batch
    for number in range(count):
        start = begin + number * MINUTE
        new_booking(org, resource, start, start + MINUTE)

    async def work(pool: Pool) -> list[int]:
        return await asyncio.gather(*(release_no_shows(pool, begin + 10 * HOUR) for _ in range(4)))

    released = with_pool(org.database_url, work, size=8)
    assert sum(released) >= count  # the workers also see what other tests left
    found = org.api.get(f"{org.path}/bookings.ndjson?status=NoShow").text.splitlines()
    assert len(found) == count
    told = org.api.get(f"/v2{org.path}/events?type=booking.no_show&limit=100").json()
    rest = org.api.get(
        f"/v2{org.path}/events",
        params={"type": "booking.no_show", "limit": 100, "lastEvaluatedKey": told["lastEvaluatedKey"]},
    ).json()
    about = [event["data"]["object"]["id"] for event in told["data"] + rest["data"]]
    assert len(about) == len(set(about)) == count


def test_what_somebody_is_changing_right_now_is_left_for_the_next_look(org: Organization) -> None:
    resource, begin = new_resource(org, checkInRequired=True), tomorrow()
    booking = new_booking(org, resource, begin, begin + HOUR)

    async def look_while_held() -> None:
        connection = await asyncpg.connect(org.database_url)
        pool = Pool(org.database_url, 2)
        try:
            async with connection.transaction():
                statement = "SELECT 1 FROM bookings WHERE organization_id = $1 AND id = $2 FOR UPDATE"
                await connection.execute(statement, org.id, booking["id"])
                await release_no_shows(pool, begin + HOUR)
        finally:
            await pool.close()
            await connection.close()

    asyncio.run(look_while_held())
    assert read(org, booking)["status"] == "Confirmed"
    release(org, begin + HOUR)
    assert read(org, booking)["status"] == "NoShow"


def test_each_organization_hears_of_its_own(org: Organization, found) -> None:
    other = found()
    begin = tomorrow()
    bookings = [
        new_booking(where, new_resource(where, checkInRequired=True), begin, begin + HOUR)
        for where in (org, other)
    ]
    release(org, begin + HOUR)
    for where, booking in zip((org, other), bookings, strict=True):
        assert [told["data"]["object"]["id"] for told in events(where, "booking.no_show")] == [booking["id"]]
