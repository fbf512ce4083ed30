"""What arrives at a receiver, and what is written down of it."""

import asyncio

import pytest
import standardwebhooks
import stripe
from tests.webhook_delivery.receiver import Receiver, status
from tests.webhook_delivery.world import ENCRYPTION, World, payload

from steward.kit.runtime import clock
from steward.webhooks.signing import Secret, new_secret, seal_secrets


async def test_an_event_arrives_with_the_very_bytes_that_were_stored(
    world: World, receiver: Receiver
) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url("/hook?a=1"))
    [event] = await world.publish(tenant)
    async with world.engine():
        await receiver.until(bool)
        [row] = await world.until_all("succeeded")
    [received] = receiver.got
    assert received.body == (await world.bodies())[event]
    assert received.event_id == event
    assert received.headers["content-type"] == "application/json"
    assert received.headers["user-agent"] == "Steward-Webhooks/1"
    assert (row["attempts"], row["due"], row["lease_until"], row["reason"]) == (1, None, None, None)
    assert row["finished"] is not None
    [attempt] = await world.attempts()
    assert (attempt["number"], attempt["status_code"], attempt["error"]) == (1, 200, None)
    assert attempt["response"] == b"thanks"


async def test_verifiers_of_two_ecosystems_accept_a_delivery(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    webhook = await world.webhook(tenant, receiver.url())
    await world.publish(tenant)
    async with world.engine():
        await receiver.until(bool)
    [received] = receiver.got
    secret = world.secrets[webhook]
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
    world: World, receiver: Receiver
) -> None:
    tenant = await world.found()
    old = new_secret()
    webhook = await world.webhook(tenant, receiver.url(), old=Secret(old, clock.now_ms() + 60_000))
    await world.publish(tenant)
    async with world.engine():
        await receiver.until(lambda got: len(got) == 1)
        await world.until_all("succeeded")
        sealed = seal_secrets(ENCRYPTION, [Secret(world.secrets[webhook]), Secret(old, clock.now_ms() - 1)])
        await world.rows("UPDATE webhooks SET secrets = $1", sealed)
        await world.publish(tenant)
        await receiver.until(lambda got: len(got) == 2)
    during, after = receiver.got
    for secret in (world.secrets[webhook], old):
        stripe.WebhookSignature.verify_header(
            during.body.decode(), during.headers["x-service-signature"], secret, 300
        )
        standardwebhooks.Webhook(secret).verify(during.body, during.headers)
    standardwebhooks.Webhook(world.secrets[webhook]).verify(after.body, after.headers)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(old).verify(after.body, after.headers)


async def test_a_retry_sends_the_same_bytes_and_identifier(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    receiver.answers["/"] = status(500)
    await world.publish(tenant)
    async with world.engine(schedule=(0, 0.05, 0.05)):
        [row] = await world.until_all("failed")
    assert len(receiver.got) == 3
    assert len({(received.event_id, received.body) for received in receiver.got}) == 1
    assert (row["reason"], row["attempts"], row["due"], row["lease_until"]) == ("exhausted", 3, None, None)
    attempts = await world.attempts()
    assert [(a["number"], a["status_code"], a["error"]) for a in attempts] == [
        (n, 500, "http_status") for n in (1, 2, 3)
    ]


async def test_a_success_after_failures_ends_the_delivery(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    webhook = await world.webhook(tenant, receiver.url())
    receiver.answers["/"] = status(503)
    await world.publish(tenant)
    async with world.engine(schedule=(0, 0.2, 0.2, 0.2)):
        await receiver.until(lambda got: len(got) == 1)
        del receiver.answers["/"]
        [row] = await world.until_all("succeeded")
        assert row["attempts"] == 2
        health = await world.one_webhook(webhook)
    assert (health["failing_since"], health["failed_attempts"]) == (None, 0)
    assert health["last_success_at"] is not None


async def test_first_attempts_go_out_in_the_order_of_making(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    events = await world.publish(tenant, 40)
    async with world.engine():
        await receiver.until(lambda got: len(got) == 40)
    # Eight may overtake each other on the wire, no more.
    capacity = {event: index for index, event in enumerate(events)}
    assert all(abs(capacity[r.event_id] - index) < 8 for index, r in enumerate(receiver.got))


async def test_what_is_stored_while_the_engine_runs_is_found_without_a_hint(
    world: World, receiver: Receiver
) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    async with world.engine():
        for count in (1, 2, 3):
            await world.publish(tenant)
            await receiver.until(lambda got, count=count: len(got) == count)


async def test_a_stopping_engine_finishes_what_it_began(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(_received):
        begun.set()
        await go_on.wait()
        return await status(200)(_received)

    receiver.answers["/"] = slowly
    await world.publish(tenant)
    async with world.engine():
        await begun.wait()
        asyncio.get_running_loop().call_later(0.2, go_on.set)
    [row] = await world.deliveries()
    assert row["status"] == "succeeded"


async def test_a_stopping_engine_gives_back_what_it_can_not_finish(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    begun = asyncio.Event()

    async def never(_received):
        begun.set()
        await asyncio.Event().wait()

    receiver.answers["/"] = never
    await world.publish(tenant)
    async with world.engine(grace=0.1):
        await begun.wait()
    [row] = await world.deliveries()
    assert (row["status"], row["lease_until"], row["attempts"]) == ("pending", None, 0)
    assert row["due"] <= clock.now_ms()
    del receiver.answers["/"]
    async with world.engine():
        await world.until_all("succeeded")


async def test_a_lease_whose_worker_died_is_taken_again(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    await world.publish(tenant)
    past = clock.now_ms() - 1
    await world.rows("UPDATE deliveries SET due = $1, lease_until = $1", past)
    async with world.engine():
        [row] = await world.until_all("succeeded")
    assert row["lease_until"] is None


async def test_a_living_lease_is_left_alone(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    [theirs] = await world.publish(tenant)
    later = clock.now_ms() + 60_000
    await world.rows("UPDATE deliveries SET due = $1, lease_until = $1", later)
    [ours] = await world.publish(tenant)
    async with world.engine():
        await receiver.until(lambda got: len(got) == 1)
        await world.until("the other's success", lambda: world.deliveries(status="succeeded"))
    assert [received.event_id for received in receiver.got] == [ours]
    [row] = await world.deliveries(event_id=theirs)
    assert (row["status"], row["lease_until"]) == ("pending", later)


async def test_an_event_that_is_kept_no_more_cancels_its_delivery(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    await world.publish(tenant)
    await world.rows("DELETE FROM events")
    async with world.engine():
        [row] = await world.until_all("cancelled")
    assert (row["reason"], row["attempts"]) == ("event_expired", 0)
    assert row["finished"] is not None
    assert receiver.got == []


async def test_a_secret_that_can_not_be_read_is_a_recorded_failure(world: World, receiver: Receiver) -> None:
    tenant = await world.found()
    await world.webhook(tenant, receiver.url())
    await world.rows("UPDATE webhooks SET secrets = 'nonsense that is long enough'")
    await world.publish(tenant)
    async with world.engine(schedule=(0,)):
        await world.until_all("failed")
    assert [attempt["error"] for attempt in await world.attempts()] == ["secret_unreadable"]
    assert receiver.got == []
