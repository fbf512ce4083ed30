"""Webhooks that are switched off, by their receiver, by time or by people, and what happens to their pending deliveries."""

import msgspec
import pytest
from tests.support.waiting import wait_for_async
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver, status

from steward.kit.runtime import clock
from steward.webhook_delivery.jobs import reconcile
from steward.webhook_delivery.model import DISABLE_AFTER_FAILURES, DISABLE_AFTER_MS, TEST_EVENT
from steward.webhooks.events import DISABLED


async def test_410_disables_the_webhook_and_skips_pending_deliveries(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    receiver.answers["/"] = status(410)
    await database.publish(tenant, 30)
    async with database.engine():
        rows = await database.until_all("failed", "skipped")
    reasons = {(row["status"], row["reason"]) for row in rows}
    assert reasons == {("failed", "receiver_gone"), ("skipped", "webhook_disabled")}
    assert all(row["finished"] and row["due"] is None and row["lease_until"] is None for row in rows)
    after = await database.one_webhook(webhook)
    assert (after["status"], after["disabled_reason"]) == ("disabled", "receiver_gone")
    # And what happens from now on is kept, too.
    [event] = await database.publish(tenant)
    [row] = await database.deliveries(event_id=event)
    assert (row["status"], row["reason"]) == ("skipped", "webhook_disabled")
    assert row["finished"] is not None


async def test_disabling_a_webhook_sends_an_event_to_the_others(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant, elsewhere = await database.new_tenant(), await database.new_tenant()
    types = f"workorder.created {DISABLED.name}"
    gone = await database.webhook(tenant, receiver.url("/gone"), types=types)
    other = await database.webhook(tenant, receiver.url(), types=types)
    await database.webhook(elsewhere, receiver.url(), types=types)
    receiver.answers["/gone"] = status(410)
    await database.publish(tenant, 3)
    async with database.engine():
        await wait_for_async("the event of it", lambda: _told_of(database, gone))
        await database.until_all("failed", "skipped", "succeeded")
    [event] = await database.rows("SELECT id, body FROM events WHERE type = $1", DISABLED.name)
    assert msgspec.json.decode(event["body"])["data"] == {
        "object": {
            "webhookId": gone,
            "url": receiver.url("/gone"),
            "description": None,
            "status": "disabled",
            "disabledReason": "receiver_gone",
        },
        "previousAttributes": {"status": "active"},
    }
    [delivery] = await database.deliveries(event_id=event["id"])
    assert (delivery["webhook_id"], delivery["status"]) == (other, "succeeded")


async def _told_of(database: DeliveryDatabase, webhook: str) -> bool:
    return bool(await database.rows("SELECT 1 FROM events WHERE about = $1", webhook))


async def test_nothing_is_sent_on_a_plan_without_webhooks(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant, 3)
    # What was queued before, and what happens from then on.
    await database.rows("UPDATE organizations SET plan = 'Starter' WHERE id = $1", tenant)
    await database.publish(tenant, 2)
    async with database.engine():
        rows = await database.until_all("skipped")
    assert [(row["reason"], row["due"], row["attempts"]) for row in rows] == [("plan", None, 0)] * 5
    assert receiver.got == []


@pytest.mark.parametrize(
    ("failing_ms", "failures", "disabled"),
    [
        (DISABLE_AFTER_MS, DISABLE_AFTER_FAILURES - 1, True),
        (DISABLE_AFTER_MS, DISABLE_AFTER_FAILURES - 2, False),
        (DISABLE_AFTER_MS - 3600_000, DISABLE_AFTER_FAILURES * 10, False),
    ],
)
async def test_only_long_and_often_together_disable_a_webhook(
    database: DeliveryDatabase, receiver: Receiver, failing_ms: int, failures: int, disabled: bool
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    since = clock.now_ms() - failing_ms
    await database.rows("UPDATE webhooks SET failing_since = $1, failed_attempts = $2", since, failures)
    receiver.answers["/"] = status(500)
    await database.publish(tenant)
    async with database.engine(schedule=(0,)):
        await database.until_all("failed")
    after = await database.one_webhook(webhook)
    expected = ("disabled", "no_success") if disabled else ("active", None)
    assert (after["status"], after["disabled_reason"]) == expected
    assert after["failed_attempts"] == failures + 1
    assert after["failing_since"] == since


async def test_a_success_resets_the_failure_clock(database: DeliveryDatabase, receiver: Receiver) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())
    await database.rows("UPDATE webhooks SET failing_since = 1, failed_attempts = 1000")
    await database.publish(tenant)
    async with database.engine(schedule=(0,)):
        await database.until_all("succeeded")
        receiver.answers["/"] = status(500)
        await database.publish(tenant)
        await database.until_all("succeeded", "failed")
    after = await database.one_webhook(webhook)
    assert (after["status"], after["failed_attempts"]) == ("active", 1)
    assert after["failing_since"] > 1


@pytest.mark.parametrize("code", [500, 410])
async def test_failing_test_events_do_not_count(
    database: DeliveryDatabase, receiver: Receiver, code: int
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url(), types=TEST_EVENT)
    await database.rows("UPDATE webhooks SET failing_since = 1, failed_attempts = 1000")
    receiver.answers["/"] = status(code)
    await database.publish(tenant, type=TEST_EVENT)
    async with database.engine(schedule=(0,)):
        await database.until_all("failed")
    after = await database.one_webhook(webhook)
    assert (after["status"], after["failed_attempts"]) == ("active", 1000)


@pytest.mark.parametrize("state", ["paused", "disabled"])
async def test_pending_deliveries_of_a_paused_webhook_are_skipped(
    database: DeliveryDatabase, receiver: Receiver, state: str
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant, 2500)
    await database.rows(
        "UPDATE deliveries SET status = 'retrying', attempts = 1, due = due + 3600000 WHERE ctid < '(2,0)'"
    )
    await database.rows("UPDATE webhooks SET status = $1", state)
    async with database.engine():
        rows = await database.until_all("skipped")
    assert {row["reason"] for row in rows} == {f"webhook_{state}"}
    assert len(rows) == 2500
    assert all(row["finished"] and row["due"] is None for row in rows)
    assert receiver.got == []


async def test_pending_deliveries_of_a_deleted_webhook_are_cancelled(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url("/stays"))
    gone = await database.webhook(tenant, receiver.url("/gone"))
    await database.publish(tenant, 3)
    await database.rows("DELETE FROM webhooks WHERE id = $1", gone)
    async with database.engine():
        await database.until_all("cancelled", "succeeded")
    rows = await database.deliveries(webhook_id=gone)
    assert {(row["status"], row["reason"]) for row in rows} == {("cancelled", "webhook_deleted")}
    assert {received.path for received in receiver.got} == {"/stays"}


async def test_a_delivery_with_neither_result_nor_due_time_is_found_and_delivered(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant, 3)
    await database.rows("UPDATE deliveries SET due = NULL")
    async with database.engine():
        await reconcile(database.pool)
        await database.until_all("succeeded")


async def test_reconciling_leaves_alone_what_is_in_order(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.webhook(tenant, receiver.url(), status="paused")
    await database.publish(tenant, 2)
    before = await database.deliveries()
    await reconcile(database.pool)
    assert await database.deliveries() == before
