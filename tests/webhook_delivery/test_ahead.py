"""One webhook with a quick receiver: more is claimed than may be under way, and nothing else changes by that."""

import asyncio
from collections.abc import Iterator

import pytest
from aiohttp import web
from tests.support.waiting import wait_for_async
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Received, Receiver

from steward.kit.runtime import clock
from steward.webhook_delivery import webhook_queue
from steward.webhook_delivery.claims.queries import claim, release, release_held_by
from steward.webhook_delivery.model import LEASE_MS, MAX_IN_FLIGHT, Claim
from steward.webhook_delivery.webhook_queue import MAX_UNSETTLED, MAX_WINDOW

LEASED = "SELECT count(*) FROM deliveries WHERE lease_until IS NOT NULL"


@pytest.fixture(autouse=True)
def quick_by_any_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A receiver that answers at once counts as quick also where a machine is slow."""
    monkeypatch.setattr(webhook_queue, "_GROWTH_INTERVAL_MS", 3600_000)


async def test_a_fast_receiver_gets_batches_in_order_eight_at_a_time(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    events = await database.publish(tenant, 600)
    async with database.engine():
        await database.until_all("succeeded")
    assert receiver.most_under_way["/"] <= MAX_IN_FLIGHT
    arrived = [received.event_id for received in receiver.got]
    assert sorted(arrived) == events
    # Only what is under way at the same time can be overtaken, for as long as the machine takes to send it.
    assert max(_overtaken(events, arrived)) < MAX_IN_FLIGHT
    # Eight at a time it takes 75 of them.
    assert (await database.one_webhook(webhook))["claims"] < 60


def _overtaken(sent: list[str], arrived: list[str]) -> Iterator[int]:
    """By each that arrived, so many that were sent before it."""
    missing = list(sent)
    for event in arrived:
        yield missing.index(event)
        missing.remove(event)


async def test_claims_ahead_for_a_hanging_receiver_are_released(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())

    async def then_hang(_received: Received) -> web.StreamResponse:
        if len(receiver.got) > 300:
            await asyncio.Event().wait()
        return web.Response()

    receiver.answers["/"] = then_hang
    events = await database.publish(tenant, 600)
    async with database.engine(grace=0.1):
        await receiver.until(lambda got: len(got) == 300 + MAX_IN_FLIGHT)

        async def given_back() -> bool:
            return (await database.rows(LEASED))[0][0] == MAX_IN_FLIGHT

        await wait_for_async("giving back what is ahead", given_back)
        # What is given back stands where it stood: the first that goes out then is the oldest.
        rows = await database.rows(
            "SELECT event_id FROM deliveries WHERE status = 'pending' AND lease_until IS NULL ORDER BY due, id"
        )
        assert [row[0] for row in rows] == events[-len(rows) :]
    assert (await database.rows(LEASED))[0][0] == 0


async def test_pausing_a_webhook_releases_claims_ahead(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    go_on = asyncio.Event()

    async def after_a_while(_received: Received) -> web.StreamResponse:
        if len(receiver.got) > 300:
            await go_on.wait()
        return web.Response()

    receiver.answers["/"] = after_a_while
    await database.publish(tenant, 600)
    async with database.engine() as engine:
        await receiver.until(lambda got: len(got) == 300 + MAX_IN_FLIGHT)
        await database.rows("UPDATE webhooks SET status = 'paused' WHERE id = $1", webhook)
        engine.notify(frozenset({tenant}))

        async def skipped() -> bool:
            return len(await database.deliveries(status="pending")) <= MAX_UNSETTLED

        await wait_for_async("skipping of the rest", skipped)
        go_on.set()
        await database.until_all("succeeded", "skipped")
    assert len(receiver.got) <= 300 + MAX_UNSETTLED


async def test_a_worker_alone_takes_many_and_a_second_one_takes_none_until_places_are_left(
    database: DeliveryDatabase,
) -> None:
    tenant = await database.new_tenant()
    key = (tenant, await database.webhook(tenant, "http://127.0.0.1:1/"))
    await database.publish(tenant, 300)
    now = clock.now_ms()
    one, other = Claim("prc_1", now + LEASE_MS), Claim("prc_2", now + LEASE_MS)

    async def take(own: Claim, wanted: int, held: int) -> list:
        taken, _ = await claim(
            database.pool, {key: (wanted, held)}, "pending", own, before=clock.now_ms(), now=now
        )
        return taken

    mine = await take(one, MAX_WINDOW, 0)
    assert len(mine) == MAX_WINDOW
    assert await take(other, 8, 0) == []
    await release(database.pool, mine[3:], now)
    theirs = await take(other, MAX_WINDOW, 0)
    assert len(theirs) == MAX_IN_FLIGHT - 3
    # From now on both count together, also for the first.
    assert await take(one, MAX_WINDOW, 3) == []
    assert (await database.one_webhook(key[1]))["claimed_by"] == ["prc_1", "prc_2"]


async def test_claims_with_a_lost_answer_are_released_and_others_kept(
    database: DeliveryDatabase,
) -> None:
    tenant = await database.new_tenant()
    key = (tenant, await database.webhook(tenant, "http://127.0.0.1:1/"))
    await database.publish(tenant, 20)
    now = clock.now_ms()
    own = Claim("prc_1", now + LEASE_MS)
    taken, _ = await claim(database.pool, {key: (20, 0)}, "pending", own, before=now, now=now)
    known = {delivery.id for delivery in taken[:5]}
    assert await release_held_by(database.pool, [key], ["prc_1"], list(known), now) == 15
    rows = await database.rows("SELECT id FROM deliveries WHERE claimed_by = 'prc_1'")
    assert {row[0] for row in rows} == known
