"""Kill -9 of worker, API and PostgreSQL at random moments under load: every event of every committed change arrives.

`STEWARD_TEST_KILL_ROUNDS` asks for more rounds than the few that the suite has time for.
"""

import asyncio
import contextlib
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.deployment import Deployment
from tests.support.organizations import Organization
from tests.support.waiting import limit, wait_for_async
from tests.webhook_delivery.receiver import Receiver

from steward.webhook_delivery.webhook_queue import MAX_UNSETTLED

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("STEWARD_TEST_KILL_ROUNDS", "6"))
WEBHOOKS = 2
WRITERS = 4


class Organized(Deployment):
    """With an organization that receives the load."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, STEWARD_WEBHOOK_ALLOW_LOCAL="on")
        self.organization = Organization(self.api.base_url, self.database_url, "Enterprise")


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Organized]:
    deployment = await asyncio.to_thread(Organized, tmp_path)
    yield deployment
    await asyncio.to_thread(deployment.stop)


async def write(deployment: Organized, made: set[str], stop: asyncio.Event) -> None:
    """Makes work orders one after the other; what is answered 201 is made, whatever happens then."""
    path = f"{deployment.organization.path}/work-orders"
    headers = {"X-API-Key": deployment.organization.secret}
    async with httpx.AsyncClient(timeout=limit(30), verify=False) as client:
        while not stop.is_set():
            with contextlib.suppress(httpx.TransportError):
                answer = await client.post(
                    deployment.api.base_url + path, json={"title": "Leak"}, headers=headers
                )
                if answer.status_code == 201:
                    made.add(data_of(answer)["id"])
            await asyncio.sleep(0.02)  # some load, and not all that the machine can bear


async def kill_by_turns(deployment: Organized, dice: random.Random) -> None:
    kills = [
        deployment.restart_killed_worker,
        deployment.restart_killed_api,
        deployment.restart_killed_postgres,
    ]
    for number in range(ROUNDS):
        if number % len(kills) == 0:
            dice.shuffle(kills)
        # Any moment is as good as another.
        await asyncio.sleep(dice.uniform(0.5, 2.5))
        await asyncio.to_thread(kills[number % len(kills)])


async def test_no_event_is_lost_when_any_process_is_killed(deployment: Organized, receiver: Receiver) -> None:
    organization = deployment.organization
    for number in range(WEBHOOKS):
        body = {"url": receiver.url(f"/{number}"), "events": ["workorder.created"]}
        answer = await asyncio.to_thread(organization.api.post, f"/v2{organization.path}/webhooks", json=body)
        assert answer.status_code == 201, answer.text
    made: set[str] = set()
    stop = asyncio.Event()
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    writers = [asyncio.create_task(write(deployment, made, stop)) for _ in range(WRITERS)]
    await kill_by_turns(deployment, random.Random(seed))
    before = len(made)
    await wait_for_async("a change after the last kill", lambda: len(made) > before)
    stop.set()
    await asyncio.gather(*writers)

    rows = await deployment.rows("SELECT id, body, about FROM events WHERE type = 'workorder.created'")
    events = {row[0]: row[1] for row in rows}
    about = {row[2] for row in rows}
    assert made, "nothing was made"
    assert made <= about, "a change that was answered has no event"
    wanted = {(f"/{number}", event) for number in range(WEBHOOKS) for event in events}
    await receiver.until(lambda got: wanted <= {(r.path, r.event_id) for r in got}, seconds=120)

    assert {(r.event_id, r.body) for r in receiver.got} == set(events.items())
    arrivals = Counter((r.path, r.event_id) for r in receiver.got)
    duplicates = sum(arrivals.values()) - len(arrivals)
    print(f"{len(events)} events, {sum(arrivals.values())} arrivals, {duplicates} duplicates")
    assert duplicates <= ROUNDS * WEBHOOKS * MAX_UNSETTLED
    ends = await until_ended(deployment)
    assert ends == {"succeeded"}


async def until_ended(deployment: Organized) -> set[str]:
    """The states of all deliveries, once none waits any more."""

    async def ended() -> set[str]:
        states = {row[0] for row in await deployment.rows("SELECT DISTINCT status FROM deliveries")}
        return states if states <= {"succeeded", "failed", "skipped", "cancelled"} else set()

    return await wait_for_async("the end of all deliveries", ended)
