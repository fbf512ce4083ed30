"""Workers die, hang and wake: what they held goes on with others, soon, and what they say afterwards does no harm."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.support.processes import StewardProcess
from tests.support.waiting import wait_for_async
from tests.webhook_delivery.delivery_database import ENCRYPTION_KEY, DeliveryDatabase
from tests.webhook_delivery.receiver import Received, Receiver

from steward.webhook_delivery.model import MAX_IN_FLIGHT
from steward.webhook_delivery.webhook_queue import MAX_UNSETTLED

pytestmark = pytest.mark.long

_WORKERS = "SELECT id FROM processes WHERE kind = 'worker'"
# What nobody frees is never free: no claim ends by itself while a test waits.
_CLAIM_FOR_EVER = f"UPDATE deliveries SET due = {2**50}, lease_until = {2**50} WHERE claimed_by = $1"
_HOLDERS = """SELECT claimed_by FROM deliveries WHERE lease_until IS NOT NULL
              GROUP BY claimed_by ORDER BY count(*) DESC"""
StartWorker = Callable[[], Any]


@pytest.fixture
async def start_worker(database: DeliveryDatabase, tmp_path: Path) -> AsyncIterator[StartWorker]:
    """Starts a worker, and returns it with the name under which it claims."""
    workers: list[StewardProcess] = []

    async def start() -> tuple[StewardProcess, str]:
        before = {row[0] for row in await database.rows(_WORKERS)}
        worker = StewardProcess(
            tmp_path / f"worker-{len(workers)}.log",
            "worker",
            STEWARD_DATABASE_URL=database.url,
            STEWARD_WEBHOOK_ALLOW_LOCAL="on",
            STEWARD_SECRET_KEY=ENCRYPTION_KEY,
        )
        workers.append(worker)

        async def named() -> set[str]:
            return {row[0] for row in await database.rows(_WORKERS)} - before

        [name] = await wait_for_async("a sign of life", named)
        return worker, name

    yield start
    for worker in workers:
        worker.process.send_signal(signal.SIGCONT)
        worker.kill()


async def test_a_busy_webhook_resumes_soon_after_its_worker_was_killed(
    database: DeliveryDatabase, receiver: Receiver, start_worker: StartWorker
) -> None:
    tenant = await database.new_tenant()
    webhook = await database.webhook(tenant, receiver.url())

    killed = asyncio.Event()

    async def then_hang(_received: Received) -> web.StreamResponse:
        if len(receiver.got) > 100:
            await killed.wait()
        return web.Response()

    receiver.answers["/"] = then_hang
    workers = {name: worker for worker, name in [await start_worker(), await start_worker()]}
    events = await database.publish(tenant, 500)
    # It dies with as much under way as there may be.
    await receiver.until(lambda got: len(got) == 100 + MAX_IN_FLIGHT)
    holder = (await database.rows(_HOLDERS))[0][0]
    workers.pop(holder).kill()
    [heir] = workers
    killed.set()
    await database.rows(_CLAIM_FOR_EVER, holder)

    async def nothing_left() -> bool:
        return not await database.rows("SELECT 1 FROM deliveries WHERE claimed_by = $1", holder)

    await wait_for_async("the end of its claims", nothing_left)
    await database.until_all("succeeded")
    arrived = Counter(received.event_id for received in receiver.got)
    assert set(arrived) == set(events)
    duplicates = len(receiver.got) - len(arrived)
    print(f"{duplicates} duplicates")
    assert duplicates <= MAX_UNSETTLED
    assert max(receiver.most_under_way.values()) == MAX_IN_FLIGHT
    assert (await database.one_webhook(webhook))["claimed_by"] == [heir]
    assert [row["attempts"] for row in await database.deliveries()] == [1] * len(events)


async def test_a_stalled_worker_settles_nothing_that_others_took_over(
    database: DeliveryDatabase, receiver: Receiver, start_worker: StartWorker
) -> None:
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    answers = [asyncio.get_running_loop().create_future() for _ in range(3)]

    async def as_told(_received: Received) -> web.StreamResponse:
        return web.Response(status=await answers[len(receiver.got) - 1])

    receiver.answers["/"] = as_told
    await database.publish(tenant)
    sleeper, name = await start_worker()
    await receiver.until(lambda got: len(got) == 1)
    heir_process, heir = await start_worker()
    sleeper.process.send_signal(signal.SIGSTOP)
    await database.rows(_CLAIM_FOR_EVER, name)
    await receiver.until(lambda got: len(got) == 2)
    before = await database.deliveries()
    assert before[0]["claimed_by"] == heir

    # The sleeper wakes, hears that its request failed, and has that written down: nothing comes of it.
    answers[0].set_result(500)
    sleeper.process.send_signal(signal.SIGCONT)

    async def settled() -> bool:
        return '"outcome":"retrying"' in sleeper.said.replace(" ", "")

    await wait_for_async("the sleeper's outcome", settled)
    assert await database.deliveries() == before
    assert await database.attempts() == []
    answers[1].set_result(200)
    [row] = await database.until_all("succeeded")
    assert (row["attempts"], row["claimed_by"], row["lease_until"]) == (1, None, None)
    assert [attempt["status_code"] for attempt in await database.attempts()] == [200]

    # It goes on under another name, and is there when it is needed.
    heir_process.kill()
    answers[2].set_result(200)
    await database.publish(tenant)
    await receiver.until(lambda got: len(got) == 3)
    await database.until_all("succeeded")


async def test_leases_of_a_stopped_worker_are_free_at_once(
    database: DeliveryDatabase, receiver: Receiver, start_worker: StartWorker
) -> None:
    """Though it could not give it back by itself: it had claimed it, and the answer was lost."""
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant)
    await database.rows("UPDATE deliveries SET due = $1, lease_until = $1", 2**50)
    worker, name = await start_worker()
    await start_worker()
    await database.rows("UPDATE deliveries SET claimed_by = $1", name)
    await database.rows("UPDATE webhooks SET claimed_by = ARRAY[$1]", name)
    assert await asyncio.to_thread(worker.stop) == 0
    await receiver.until(lambda got: len(got) == 1)
