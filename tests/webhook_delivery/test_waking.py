"""A commit that queued deliveries wakes the workers, by a hint that travels beside it."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import pytest
from msgspec.structs import replace
from tests.support.servers import nodes
from tests.support.waiting import wait_for_async
from tests.webhook_delivery.delivery_database import TYPE, DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Pool
from steward.kit.db.sql import sql
from steward.kit.domain.fields import Priority
from steward.kit.events import notify, outbox
from steward.kit.events.event_types import freeze
from steward.kit.events.notify import Notifier, listen
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.webhooks import actions as webhook_actions
from steward.webhooks.deliveries import actions as delivery_actions
from steward.webhooks.deliveries.model import CHANNEL
from steward.webhooks.model import ChosenStatus, WebhookChanges
from steward.work_orders import actions as work_orders
from steward.work_orders.events import change_events
from steward.work_orders.model import EXAMPLE, NewWorkOrder
from steward.work_orders.queries import WORK_ORDERS
from steward.work_orders.sla import queries as sla_queries

_PUBLISH = sql(f"WITH {outbox.outbox_ctes(2)} SELECT id FROM queued_deliveries WHERE $1 = $1")
_READ = sql("SELECT 1")
_WRONG = sql("SELECT 1 / 0")


def _arguments(tenant: str) -> tuple:
    now = clock.now()
    event = freeze(TYPE, TenantId(tenant), {"object": {}}, now, about="wo_1", attributes={})
    return (tenant, *outbox.parameters([event], now))


async def _fail_after_publishing(pool: Pool) -> None:
    async with pool.transaction() as tx:
        tx.notify("org_3")
        await tx.execute(_WRONG)


# A cluster gives the event its position in another statement.
@pytest.mark.usefixtures("one_server")
async def test_the_pool_sends_a_hint_after_each_commit_with_deliveries(
    database: DeliveryDatabase,
) -> None:
    told: list[str] = []
    pool = Pool(database.url, 2, notify=told.append)
    try:
        await pool.fetch(_READ)
        assert told == []
        await pool.execute(_PUBLISH, *_arguments("org_1"))
        assert told == []
        pool.notify("org_1")
        assert told == ["org_1"]
        async with pool.transaction() as tx:
            tx.notify("org_2")
            tx.notify("org_2")
            assert told == ["org_1"]
        assert told == ["org_1", "org_2"]
        with pytest.raises(asyncpg.PostgresError):
            await _fail_after_publishing(pool)
        assert told == ["org_1", "org_2"]
    finally:
        await pool.close()


async def test_a_change_with_events_notifies_and_one_without_does_not(database: DeliveryDatabase) -> None:
    tenant = TenantId(await database.new_tenant())
    notified: list[str] = []
    pool = Pool(database.url, 2, notify=notified.append)
    now = clock.now()
    try:
        order = replace(EXAMPLE, location_id=None, reported_by=None)
        ctx = Context.of_tenant(pool, tenant, now)
        await records.create(ctx, WORK_ORDERS, order)
        assert notified == []
        async with ctx.transaction() as inside:
            renamed = replace(order, title="Louder")
            await records.write(inside, WORK_ORDERS, order, renamed)
        assert notified == []
        async with ctx.transaction() as inside:
            started = replace(renamed, priority=Priority.LOW)
            await records.write(inside, WORK_ORDERS, renamed, started, change_events)
            assert notified == []
        assert notified == [tenant]
    finally:
        await pool.close()


async def test_concurrent_hints_are_sent_together_to_every_listener(
    database: DeliveryDatabase,
) -> None:
    heard: list[frozenset[str] | None] = []
    listening = [asyncio.create_task(listen(database.url, CHANNEL, heard.append)) for _ in range(2)]
    notifier = Notifier(database.url, CHANNEL)
    notifier.start()
    try:
        await wait_for_async("the beginning of listening", lambda: heard.count(None) == 2)
        for tenant in ("org_1", "org_2", "org_1"):
            notifier.notify(tenant)
        await wait_for_async("a hint for each listener", lambda: len(heard) == 4)
        assert heard[2:] == [frozenset({"org_1", "org_2"})] * 2
    finally:
        await notifier.stop()
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


async def test_a_hint_for_too_many_tenants_names_all(database: DeliveryDatabase) -> None:
    heard: list[frozenset[str] | None] = []
    listening = asyncio.create_task(listen(database.url, CHANNEL, heard.append))
    notifier = Notifier(database.url, CHANNEL)
    notifier.start()
    try:
        await wait_for_async("the beginning of listening", lambda: heard)
        for number in range(1000):
            notifier.notify(f"org_{number:028}")
        await wait_for_async("a hint", lambda: len(heard) == 2)
        assert heard[1] is None
    finally:
        await notifier.stop()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_a_reconnected_listener_scans_all_tenants(
    database: DeliveryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "_BEAT_SECONDS", 0.1)
    heard: list[frozenset[str] | None] = []
    listening = asyncio.create_task(listen(database.url, CHANNEL, heard.append))
    try:
        await wait_for_async("the beginning of listening", lambda: heard)
        await database.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' "
            "AND datname = current_database()"
        )
        await wait_for_async("listening again", lambda: len(heard) == 2)
        assert heard == [None, None]
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_a_hinted_tenant_is_served_before_the_full_scan(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    async with database.engine() as engine:
        await wait_for_async("the first look everywhere", lambda: engine._search._next_scan)
        engine._search._next_scan = asyncio.get_running_loop().time() + 3600  # never by itself
        await database.publish(tenant)
        engine.notify(frozenset({tenant}))
        await receiver.until(bool)


async def test_statements_that_queue_deliveries_send_a_hint(
    database: DeliveryDatabase,
) -> None:
    """Workers would find them a second later by looking, so that nothing else would notice."""
    tenant = TenantId(await database.new_tenant())
    webhook = await database.webhook(tenant, "https://receiver.example/")
    who = Caller(tenant=tenant, plan="Enterprise", permissions=ALL_PERMISSIONS)
    notified: list[str] = []
    pool = Pool(database.url, 2, notify=notified.append)
    now = clock.now()
    target = Context(pool, who, clock.now_ms()).on(webhook)

    async def url_is_fine(_url: str) -> None:
        pass

    async def retry() -> None:
        [delivery] = await database.deliveries(reason="test")
        await delivery_actions.retry(target.on(delivery["id"], within=webhook))

    deeds: dict[str, Callable[[], Awaitable[object]]] = {
        "create": lambda: work_orders.create(
            TenantCache(sla_queries.policy),
            Context(pool, who, now * 1000),
            NewWorkOrder(title="Lift is stuck"),
        ),
        "test": lambda: webhook_actions.test(target),
        "retry": retry,
        "pause": lambda: webhook_actions.change(
            url_is_fine, target, WebhookChanges(status=ChosenStatus.PAUSED)
        ),
        "delete": lambda: webhook_actions.delete(target),
    }
    in_cluster = bool(await nodes(database.url))
    try:
        for name, deed in deeds.items():
            await deed()
            # On a cluster a create takes several statements, and may tell twice.
            assert (set(notified) if in_cluster else notified) == ({tenant} if in_cluster else [tenant]), name
            notified.clear()
    finally:
        await pool.close()
