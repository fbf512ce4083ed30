"""One webhook with a quick receiver: more is claimed than may be under way, and nothing else changes by that."""

import asyncio

from aiohttp import web
from tests.webhook_delivery.receiver import Received, Receiver
from tests.webhook_delivery.world import World

from steward.kit.runtime import clock
from steward.webhook_delivery.claims.queries import claim, release, release_unknown
from steward.webhook_delivery.model import LEASE_MS, MAX_IN_FLIGHT, Claim
from steward.webhook_delivery.webhook_queue import MAX_UNSETTLED, MAX_WINDOW

LEASED = "SELECT count(*) FROM deliveries WHERE lease_until IS NOT NULL"


async def test_a_quick_receiver_is_served_with_few_claims_in_order_and_eight_at_a_time(
    world: World, receiver: Receiver
) -> None:
    tenant = await world.found()
    webhook = await world.webhook(tenant, receiver.url())
    events = await world.publish(tenant, 600)
    async with world.engine():
        await world.until_all("succeeded")
    assert receiver.most_under_way["/"] <= MAX_IN_FLIGHT
    arrived = [received.event_id for received in receiver.got]
    assert sorted(arrived) == events
    place = {id: number for number, id in enumerate(events)}
    # As far as requests that are under way at the same time can overtake each other.
    assert max(abs(place[id] - number) for number, id in enumerate(arrived)) <= 4 * MAX_IN_FLIGHT
    # Eight at a time it takes 75 of them.
    assert (await world.one_webhook(webhook))["claims"] < 60


async def test_what_was_claimed_ahead_for_a_receiver_that_begins_to_hang_is_given_back(
    world: World, receiver: Receiver
) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())

    async def then_hang(_received: Received) -> web.StreamResponse:
        if len(receiver.got) > 300:
            await asyncio.Event().wait()
        return web.Response()

    receiver.answers["/"] = then_hang
    events = await world.publish(tenant, 600)
    async with world.engine(grace=0.1):
        await receiver.until(lambda _got: receiver.under_way["/"] == MAX_IN_FLIGHT)

        async def given_back() -> bool:
            return (await world.rows(LEASED))[0][0] == MAX_IN_FLIGHT

        await world.until("what is ahead to be given back", given_back)
        # What is given back stands where it stood: the first that goes out then is the oldest.
        rows = await world.rows(
            "SELECT event_id FROM deliveries WHERE status = 'pending' AND lease_until IS NULL ORDER BY due, id"
        )
        assert [row[0] for row in rows] == events[-len(rows) :]
    assert (await world.rows(LEASED))[0][0] == 0


async def test_what_is_claimed_ahead_is_withdrawn_when_the_webhook_is_paused(
    world: World, receiver: Receiver
) -> None:
    tenant = await world.found()
    webhook = await world.webhook(tenant, receiver.url())
    go_on = asyncio.Event()

    async def after_a_while(_received: Received) -> web.StreamResponse:
        if len(receiver.got) > 300:
            await go_on.wait()
        return web.Response()

    receiver.answers["/"] = after_a_while
    await world.publish(tenant, 600)
    async with world.engine() as engine:
        await receiver.until(lambda _got: receiver.under_way["/"] == MAX_IN_FLIGHT)
        await world.rows("UPDATE webhooks SET status = 'paused' WHERE id = $1", webhook)
        engine.notify(frozenset({tenant}))

        async def skipped() -> bool:
            return len(await world.deliveries(status="pending")) <= MAX_UNSETTLED

        await world.until("the rest to be skipped", skipped)
        go_on.set()
        await world.until_all("succeeded", "skipped")
    assert len(receiver.got) <= 300 + MAX_UNSETTLED


async def test_a_worker_alone_takes_many_and_a_second_one_takes_none_until_places_are_left(
    world: World,
) -> None:
    tenant = await world.found()
    key = (tenant, await world.webhook(tenant, "http://127.0.0.1:1/"))
    await world.publish(tenant, 300)
    now = clock.now_ms()
    one, other = Claim("prc_1", now + LEASE_MS), Claim("prc_2", now + LEASE_MS)

    async def take(own: Claim, wanted: int, held: int) -> list:
        taken, _ = await claim(
            world.pool, [key], [(wanted, held)], "pending", own, before=clock.now_ms(), now=now
        )
        return taken

    mine = await take(one, MAX_WINDOW, 0)
    assert len(mine) == MAX_WINDOW
    assert await take(other, 8, 0) == []
    await release(world.pool, mine[3:], now)
    theirs = await take(other, MAX_WINDOW, 0)
    assert len(theirs) == MAX_IN_FLIGHT - 3
    # From now on both count together, also for the first.
    assert await take(one, MAX_WINDOW, 3) == []
    assert (await world.one_webhook(key[1]))["claimed_by"] == ["prc_1", "prc_2"]


async def test_what_was_claimed_without_our_hearing_of_it_is_freed_and_the_rest_kept(world: World) -> None:
    tenant = await world.found()
    key = (tenant, await world.webhook(tenant, "http://127.0.0.1:1/"))
    await world.publish(tenant, 20)
    now = clock.now_ms()
    own = Claim("prc_1", now + LEASE_MS)
    taken, _ = await claim(world.pool, [key], [(20, 0)], "pending", own, before=now, now=now)
    known = {delivery.id for delivery in taken[:5]}
    assert await release_unknown(world.pool, "prc_1", [key], known, now) == 15
    rows = await world.rows("SELECT id FROM deliveries WHERE claimed_by = 'prc_1'")
    assert {row[0] for row in rows} == known
