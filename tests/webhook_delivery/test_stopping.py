"""An engine that is told to stop ends within its bound, whatever hangs."""

import asyncio
from functools import partial

from tests.support.proxy import FaultProxy
from tests.webhook_delivery.delivery_database import ENCRYPTION, DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

from steward.kit.db.pool import Pool
from steward.kit.runtime.heartbeat import Heartbeat
from steward.webhook_delivery.engine import Engine
from steward.webhook_delivery.model import DeliveryConfig
from steward.webhook_delivery.send import HttpSender
from steward.webhooks.signing import open_secrets

# What it may take at the very most: its grace, and a few seconds for last words that nobody hears.
BOUND = 20


async def never(_received):
    await asyncio.Event().wait()


async def test_an_engine_stops_though_receivers_hang_and_the_database_answers_nothing(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url("/hangs"))
    await database.webhook(tenant, receiver.url("/quick"))
    receiver.answers["/hangs"] = never
    with FaultProxy.before(database.url) as proxy:
        url = proxy.url(database.url)
        pool, sender, heartbeat = Pool(url, 4), HttpSender(allow_local=True), Heartbeat(url)
        engine = Engine(
            pool, sender, partial(open_secrets, ENCRYPTION), DeliveryConfig((0,), True, 0.5), heartbeat
        )
        stop = asyncio.Event()
        heartbeat.start()
        running = asyncio.create_task(engine.run(stop))
        await database.publish(tenant, 300)
        await receiver.until(lambda _got: receiver.under_way["/hangs"] > 0 and receiver.at("/quick"))
        proxy.mode = "hole"
        # It is in the middle of something: looking, claiming or settling.
        engine.notify(frozenset({tenant}))
        await asyncio.sleep(0.1)
        stop.set()
        async with asyncio.timeout(BOUND):
            await running
            await heartbeat.stop()
        await sender.close()
        proxy.mode = "refuse"
    # What it could not give back is free for others, soon.
    receiver.answers.clear()
    async with database.engine():
        await database.until_all("succeeded", seconds=60)
