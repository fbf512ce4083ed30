"""What arrives at a receiver, and what is written down of it."""

import asyncio

import pytest
import standardwebhooks
import stripe
from aiohttp import web
from tests.support.waiting import wait_for_async
from tests.webhook_delivery.delivery_database import ENCRYPTION, DeliveryDatabase, payload
from tests.webhook_delivery.receiver import Received, Receiver, ok, status

from steward.kit.events.actor import act_as
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId
from steward.webhook_delivery.model import MAX_IN_FLIGHT
from steward.webhooks.signing import Secret, new_secret, seal_secrets


async def test_an_event_arrives_with_the_very_bytes_that_were_stored(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url("/hook?a=1"))
    [event] = await database.publish(tenant)
    async with database.engine():
        await receiver.until(bool)
        [row] = await database.until_all("succeeded")
    [received] = receiver.got
    assert received.body == (await database.bodies())[event]
    assert received.event_id == event
    assert received.headers["content-type"] == "application/json"
    assert received.headers["user-agent"] == "Steward-Webhooks/1"
    assert (row["attempts"], row["due"], row["lease_until"], row["reason"]) == (1, None, None, None)
    assert row["finished"] is not None
    [attempt] = await database.attempts()
    assert (attempt["number"], attempt["status_code"], attempt["error"]) == (1, 200, None)
    assert attempt["response"] == b"thanks"


async def test_a_delivery_says_who_caused_the_event(database: DeliveryDatabase, receiver: Receiver) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant)
    act_as(Caller(tenant=TenantId(tenant), plan="", permissions=frozenset(), user="usr_1", key="key_1"))
    await database.publish(tenant)
    async with database.engine():
        await receiver.until(lambda got: len(got) == 2)
    assert sorted(received.headers["webhook-actor"] for received in receiver.got) == ["Key:key_1", "System"]
    assert not any("actor" in payload(received.body) for received in receiver.got)


async def test_verifiers_of_two_ecosystems_accept_a_delivery(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    await database.publish(tenant)
    async with database.engine():
        await receiver.until(bool)
    [received] = receiver.got
    secret = database.secrets[webhook]
    stripe.WebhookSignature.verify_header(
        received.body.decode(), received.headers["x-service-signature"], secret, tolerance=300
    )
    assert standardwebhooks.Webhook(secret).verify(received.body, received.headers) == payload(received.body)
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.WebhookSignature.verify_header(
            received.body.decode() + " ", received.headers["x-service-signature"], secret, tolerance=300
        )
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(new_secret()).verify(received.body, received.headers)


async def test_during_grace_both_secrets_sign_and_after_it_only_the_new_one(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    old = new_secret()
    webhook = await database.webhook(tenant, receiver.url(), old=Secret(old, clock.now_ms() + 3600_000))
    await database.publish(tenant)
    async with database.engine():
        await receiver.until(lambda got: len(got) == 1)
        await database.until_all("succeeded")
        sealed = seal_secrets(
            ENCRYPTION, [Secret(database.secrets[webhook]), Secret(old, clock.now_ms() - 1)]
        )
        await database.rows("UPDATE webhooks SET secrets = $1", sealed)
        await database.publish(tenant)
        await receiver.until(lambda got: len(got) == 2)
    during, after = receiver.got
    for secret in (database.secrets[webhook], old):
        stripe.WebhookSignature.verify_header(
            during.body.decode(), during.headers["x-service-signature"], secret, 300
        )
        standardwebhooks.Webhook(secret).verify(during.body, during.headers)
    standardwebhooks.Webhook(database.secrets[webhook]).verify(after.body, after.headers)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(old).verify(after.body, after.headers)


async def test_a_retry_sends_the_same_bytes_and_identifier(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    receiver.answers["/"] = status(500)
    await database.publish(tenant)
    async with database.engine(schedule=(0, 0.05, 0.05)):
        [row] = await database.until_all("failed")
    assert len(receiver.got) == 3
    assert len({(received.event_id, received.body) for received in receiver.got}) == 1
    assert (row["reason"], row["attempts"], row["due"], row["lease_until"]) == ("exhausted", 3, None, None)
    attempts = await database.attempts()
    assert [(a["number"], a["status_code"], a["error"]) for a in attempts] == [
        (n, 500, "http_status") for n in (1, 2, 3)
    ]


async def test_a_success_after_failures_ends_the_delivery(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    receiver.answers["/"] = status(503)
    await database.publish(tenant)
    async with database.engine(schedule=(0, 0.2, 0.2, 0.2)):
        await receiver.until(lambda got: len(got) == 1)
        del receiver.answers["/"]
        [row] = await database.until_all("succeeded")
        assert row["attempts"] == 2
        health = await database.one_webhook(webhook)
    assert (health["failing_since"], health["failed_attempts"]) == (None, 0)
    assert health["last_success_at"] is not None


async def test_first_attempts_go_out_in_the_order_of_making(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    """Eight may overtake each other on the wire, no more."""
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    events = await database.publish(tenant, 40)
    here = [asyncio.Event() for _ in range(0, 40, MAX_IN_FLIGHT)]

    async def once_all_places_are_taken(received: Received) -> web.StreamResponse:
        group, place = divmod(len(receiver.got) - 1, MAX_IN_FLIGHT)
        if place == MAX_IN_FLIGHT - 1:
            here[group].set()
        await here[group].wait()
        return await ok(received)

    receiver.answers["/"] = once_all_places_are_taken
    async with database.engine():
        await receiver.until(lambda got: len(got) == 40)
    arrived = [received.event_id for received in receiver.got]
    for first in range(0, 40, MAX_IN_FLIGHT):
        assert sorted(arrived[first : first + MAX_IN_FLIGHT]) == events[first : first + MAX_IN_FLIGHT]


async def test_deliveries_are_found_without_a_hint(database: DeliveryDatabase, receiver: Receiver) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    async with database.engine():
        for count in (1, 2, 3):
            await database.publish(tenant)
            await receiver.until(lambda got: len(got) == count)  # noqa: B023


async def test_a_stopping_engine_finishes_what_it_began(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(_received):
        begun.set()
        await go_on.wait()
        return await status(200)(_received)

    receiver.answers["/"] = slowly
    await database.publish(tenant)
    async with database.engine(grace=3600) as engine:
        await begun.wait()

        async def answer_once_it_stops() -> None:
            await wait_for_async("the stop", lambda: engine._dispatcher.stopping)
            go_on.set()

        answering = asyncio.create_task(answer_once_it_stops())
    await answering
    [row] = await database.deliveries()
    assert row["status"] == "succeeded"


async def test_a_stopping_engine_gives_back_what_it_can_not_finish(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    begun = asyncio.Event()

    async def never(_received):
        begun.set()
        await asyncio.Event().wait()

    receiver.answers["/"] = never
    await database.publish(tenant)
    async with database.engine(grace=0.1):
        await begun.wait()
    [row] = await database.deliveries()
    assert (row["status"], row["lease_until"], row["attempts"]) == ("pending", None, 0)
    assert row["due"] <= clock.now_ms()
    del receiver.answers["/"]
    async with database.engine():
        await database.until_all("succeeded")


async def test_a_lease_of_a_dead_worker_is_claimed_again(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant)
    past = clock.now_ms() - 1
    await database.rows("UPDATE deliveries SET due = $1, lease_until = $1", past)
    async with database.engine():
        [row] = await database.until_all("succeeded")
    assert row["lease_until"] is None


async def test_an_unexpired_lease_is_not_claimed(database: DeliveryDatabase, receiver: Receiver) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    [theirs] = await database.publish(tenant)
    later = clock.now_ms() + 3600_000
    await database.rows("UPDATE deliveries SET due = $1, lease_until = $1", later)
    [ours] = await database.publish(tenant)
    async with database.engine():
        await receiver.until(lambda got: len(got) == 1)
        await wait_for_async("the other's success", lambda: database.deliveries(status="succeeded"))
    assert [received.event_id for received in receiver.got] == [ours]
    [row] = await database.deliveries(event_id=theirs)
    assert (row["status"], row["lease_until"]) == ("pending", later)


async def test_an_expired_event_cancels_its_delivery(database: DeliveryDatabase, receiver: Receiver) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant)
    await database.rows("DELETE FROM events")
    async with database.engine():
        [row] = await database.until_all("cancelled")
    assert (row["reason"], row["attempts"]) == ("event_expired", 0)
    assert row["finished"] is not None
    assert receiver.got == []


async def test_a_secret_that_can_not_be_read_is_a_recorded_failure(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.rows("UPDATE webhooks SET secrets = 'nonsense that is long enough'")
    await database.publish(tenant)
    async with database.engine(schedule=(0,)):
        await database.until_all("failed")
    assert [attempt["error"] for attempt in await database.attempts()] == ["secret_unreadable"]
    assert receiver.got == []
