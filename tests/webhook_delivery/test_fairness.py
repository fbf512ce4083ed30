"""A receiver that hangs or fails delays nobody else; judged by who is served, not by how fast."""

import asyncio
from collections import Counter

import pytest
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver, Respond, status

from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.webhook_delivery.capacity import MAX_QUEUED, MAX_QUICK_IN_FLIGHT
from steward.webhook_delivery.claims.queries import claim
from steward.webhook_delivery.model import LEASE_MS, MAX_IN_FLIGHT, MAX_WHILE_FAILING, Claim

pytestmark = pytest.mark.long


async def never(_received):
    await asyncio.Event().wait()


def slowly(receiver: Receiver, path: str, code: int, at_once: int) -> Respond:
    """Answers once so many requests are under way, and from then on after a while in which a further one would show."""
    reached = asyncio.Event()

    async def respond(received):
        if receiver.under_way[path] == at_once:
            reached.set()
        await reached.wait()
        await asyncio.sleep(0.02)  # whether the machine is slow or quick, there are no more than that
        return await status(code)(received)

    return respond


async def test_a_hanging_receiver_with_a_long_queue_delays_no_other(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    receiver.answers["/hangs"] = never
    hanging = await database.new_tenant()
    await database.webhook(hanging, receiver.url("/hangs"))
    await database.publish(hanging, 500)
    healthy = [await database.new_tenant() for _ in range(20)]
    async with database.engine(grace=0.1):
        await receiver.until(lambda _got: receiver.under_way["/hangs"] == MAX_IN_FLIGHT)
        for tenant in healthy:
            await database.webhook(tenant, receiver.url("/healthy"))
            await database.publish(tenant, 10)
        # While the eight still hang, all others are served.
        await receiver.until(lambda _got: len(receiver.at("/healthy")) == 200)
        assert len(receiver.at("/hangs")) == MAX_IN_FLIGHT


async def test_many_hanging_receivers_delay_no_other(database: DeliveryDatabase, receiver: Receiver) -> None:
    receiver.answers["/hangs"] = never
    hanging = await database.new_tenant()
    count = MAX_QUICK_IN_FLIGHT // MAX_IN_FLIGHT + 4
    for _ in range(count):
        await database.webhook(hanging, receiver.url("/hangs"))
    await database.publish(hanging, MAX_IN_FLIGHT)
    tenant = await database.new_tenant()
    async with database.engine(grace=0.1):
        await receiver.until(lambda _got: receiver.under_way["/hangs"] == count * MAX_IN_FLIGHT)
        await database.webhook(tenant, receiver.url("/healthy"))
        await database.publish(tenant, 30)
        await receiver.until(lambda _got: len(receiver.at("/healthy")) == 30)
        assert receiver.under_way["/hangs"] == count * MAX_IN_FLIGHT


async def test_two_workers_together_keep_to_eight_requests_for_one_webhook(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url("/slow"))
    receiver.answers["/slow"] = slowly(receiver, "/slow", 200, MAX_IN_FLIGHT)
    await database.publish(tenant, 300)
    async with database.engine(), database.engine():
        await database.until_all("succeeded")
    assert receiver.most_under_way["/slow"] == MAX_IN_FLIGHT
    assert Counter(received.event_id for received in receiver.got).most_common(1)[0][1] == 1


async def test_three_workers_share_many_webhooks_and_send_nothing_twice(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenants = [await database.new_tenant() for _ in range(3)]
    for tenant in tenants:
        for number in range(4):
            await database.webhook(tenant, receiver.url(f"/{tenant}/{number}"))
        await database.publish(tenant, 50)
    async with database.engine(), database.engine(), database.engine():
        rows = await database.until_all("succeeded")
    assert len(rows) == len(receiver.got) == 3 * 4 * 50
    assert max(receiver.most_under_way.values()) <= MAX_IN_FLIGHT
    assert {row["attempts"] for row in rows} == {1}


async def test_a_failing_receiver_gets_fewer_requests_at_a_time(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url("/fails"))
    await database.rows("UPDATE webhooks SET failing_since = 1, failed_attempts = 1 WHERE id = $1", webhook)
    receiver.answers["/fails"] = slowly(receiver, "/fails", 500, MAX_WHILE_FAILING)
    await database.rows("UPDATE webhooks SET failing_since = $1", 2**50)  # far from being disabled
    await database.publish(tenant, 30)
    async with database.engine(schedule=(0,)):
        await database.until_all("failed")
    assert receiver.most_under_way["/fails"] == MAX_WHILE_FAILING


async def test_late_retries_never_go_before_first_attempts_of_others(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    """More is due than one worker can begin with: what it begins with are the first attempts."""
    late, fresh = await database.new_tenant(), await database.new_tenant()
    for number in range(80):
        await database.webhook(late, receiver.url(f"/late/{number}"))
        await database.webhook(fresh, receiver.url(f"/fresh/{number}"))
    await database.publish(late, 8)
    await database.rows("UPDATE deliveries SET status = 'retrying', attempts = 3, due = due - 3600000")
    await database.publish(fresh, 8)
    order = []

    def note(received) -> None:
        order.append(received.path.split("/")[1])

    async with database.engine():
        await database.until_all("succeeded")
    for received in receiver.got:
        note(received)
    assert Counter(order) == {"fresh": 640, "late": 640}
    # Once the last first attempts are under way, free places may go to late ones: not earlier.
    assert "late" not in order[: 640 - MAX_QUICK_IN_FLIGHT - MAX_QUEUED]


async def test_a_tenant_with_a_long_queue_does_not_block_others(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    big, small = await database.new_tenant(), await database.new_tenant()
    for number in range(20):
        await database.webhook(big, receiver.url(f"/big/{number}"))
    await database.publish(big, 100)
    await database.webhook(small, receiver.url("/small"))
    await database.publish(small, 5)
    async with database.engine():
        await receiver.until(lambda _got: len(receiver.at("/small")) == 5)
        assert len(receiver.got) < 20 * 100 / 2
        await database.until_all("succeeded")


async def test_a_claim_that_began_before_another_committed_does_not_count_its_places_as_free(
    database: DeliveryDatabase,
) -> None:
    """The long claim sees the table as it was when it began, and comes to the last webhook when others have been there."""
    tenant = await database.new_tenant()
    await database.webhook(tenant, "http://127.0.0.1:1/")
    await database.rows(
        """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four, created_at,
                                 updated_at)
           SELECT organization_id, 'whk_' || n, url, events, types, status, secrets, secret_last_four, 0, 0
           FROM webhooks, generate_series(1, 600) n"""
    )
    last = (tenant, await database.webhook(tenant, "http://127.0.0.1:1/", types="asset.created"))
    await database.publish(tenant, 200, type="asset.created")
    # In one lane both would pick the same rows, and the slower one would find them taken.
    await database.rows("UPDATE deliveries SET status = 'retrying', attempts = 1 WHERE ctid > '(1,0)'")
    everything = {(tenant, row[0]): (8, 0) for row in await database.rows("SELECT id FROM webhooks")}
    long, short = Pool(database.url, 1), Pool(database.url, 1)
    now = clock.now_ms
    for round in range(16):
        theirs, ours = (Claim(process, now() + LEASE_MS) for process in ("prc_long", "prc_short"))
        beginning = asyncio.create_task(claim(long, everything, "pending", theirs, before=now(), now=now()))
        # The second one comes at ever later moments of the first: what holds has to hold at each of them.
        await asyncio.sleep(0.00125 * round)
        taken, _ = await claim(short, {last: (8, 0)}, "retrying", ours, before=now(), now=now())
        also_taken, _ = await beginning
        assert len(taken) + len(also_taken) <= MAX_IN_FLIGHT
        [row] = await database.rows("SELECT count(*) FROM deliveries WHERE lease_until > $1", now())
        assert row[0] <= MAX_IN_FLIGHT
        await database.rows("UPDATE deliveries SET due = $1, lease_until = NULL", now())
    await long.close()
    await short.close()
