"""A stopping engine ends within its bound, whatever hangs."""

import asyncio
from functools import partial

from tests.support.proxy import FaultProxy
from tests.support.waiting import limit, wait_for_async
from tests.webhook_delivery.delivery_database import ENCRYPTION, DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.db.pool import Pool
from steward.webhook_delivery.engine import Engine
from steward.webhook_delivery.model import DeliveryConfig
from steward.webhook_delivery.send import HttpSender
from steward.webhooks.signing import open_secrets

# Nothing here gives up by itself before that.
PATIENCE = 3600


async def never(_received):
    await asyncio.Event().wait()


async def test_an_engine_stops_although_receivers_and_database_hang(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url("/hangs"))
    await database.webhook(tenant, receiver.url("/quick"))
    receiver.answers["/hangs"] = never
    with FaultProxy.before(database.url) as proxy, FaultProxy.before(database.url) as proxy_of_heartbeat:
        pool = Pool(proxy.url(database.url), 4, seconds=PATIENCE, acquire_seconds=PATIENCE)
        sender = HttpSender(allow_local=True, timeout=PATIENCE)
        heartbeat = Heartbeat(proxy_of_heartbeat.url(database.url))
        engine = Engine(
            pool, sender, partial(open_secrets, ENCRYPTION), DeliveryConfig((0,), True, 0.5), heartbeat
        )
        stop = asyncio.Event()
        heartbeat.start()
        running = asyncio.create_task(engine.run(stop))
        await database.publish(tenant, 300)
        await receiver.until(lambda _got: receiver.under_way["/hangs"] > 0 and receiver.at("/quick"))
        proxy.mode = proxy_of_heartbeat.mode = "hole"
        # It is in the middle of something: looking, claiming or settling.
        engine.notify(frozenset({tenant}))
        await wait_for_async("a statement without an answer", lambda: proxy.held)
        stop.set()
        # Its grace, and a few seconds for last messages without a reader.
        async with asyncio.timeout(limit(60)):
            await running
            await heartbeat.stop()
        await sender.close()
        proxy.mode = proxy_of_heartbeat.mode = "refuse"
    # What it could not give back is free for others, soon.
    receiver.answers.clear()
    async with database.engine():
        await database.until_all("succeeded")
