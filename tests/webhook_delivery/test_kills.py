"""Kill -9 of worker, API and PostgreSQL at random moments under load: every event of every committed change arrives.

`STEWARD_TEST_KILL_ROUNDS` asks for more rounds than the few that the suite has time for.
"""

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.databases import fetch_rows
from tests.support.organizations import Organization
from tests.support.processes import ApiProcess, StewardProcess, remove_cluster
from tests.support.waiting import limit, wait_for_async
from tests.webhook_delivery.receiver import Receiver

from steward.supervisor.postgres import EmbeddedPostgres
from steward.webhook_delivery.webhook_queue import MAX_UNSETTLED
from steward.wiring.schema import migrate

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("STEWARD_TEST_KILL_ROUNDS", "6"))
WEBHOOKS = 2
WRITERS = 4
_SETTINGS = {"STEWARD_WEBHOOK_ALLOW_LOCAL": "on", "STEWARD_KEY_REQUESTS_PER_MINUTE": "1000000"}


class Deployment:
    """One of each, to be killed and started again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.postgres = EmbeddedPostgres(directory)
        self.url = self.postgres.start()
        asyncio.run(migrate(self.url))
        self.start_worker()
        self.start_api()
        self.organization = Organization(self.api.base_url, self.url, "Enterprise")

    def start_worker(self) -> None:
        log = self.directory / "worker.log"
        self.worker = StewardProcess(log, "worker", STEWARD_DATABASE_URL=self.url, **_SETTINGS)

    def start_api(self) -> None:
        self.api = ApiProcess(self.directory / "api.log", self.url, **_SETTINGS)
        self.api.wait_until_live()

    def kill_worker(self) -> None:
        self.worker.kill()
        self.start_worker()

    def kill_api(self) -> None:
        self.api.kill()
        self.start_api()

    def kill_postgres(self) -> None:
        pid = self.postgres.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        self.postgres.stop()
        self.postgres = EmbeddedPostgres(self.directory)
        assert self.postgres.start() == self.url

    def stop(self) -> None:
        self.api.stop()
        self.worker.stop()
        self.postgres.stop()
        remove_cluster(self.directory)

    async def rows(self, statement: str, *args: object) -> list:
        return await fetch_rows(self.url, statement, *args)


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    deployment = await asyncio.to_thread(Deployment, tmp_path)
    yield deployment
    await asyncio.to_thread(deployment.stop)


async def write(deployment: Deployment, made: set[str], stop: asyncio.Event) -> None:
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


async def kill_by_turns(deployment: Deployment, dice: random.Random) -> None:
    kills = [deployment.kill_worker, deployment.kill_api, deployment.kill_postgres]
    for number in range(ROUNDS):
        if number % len(kills) == 0:
            dice.shuffle(kills)
        # Any moment is as good as another.
        await asyncio.sleep(dice.uniform(0.5, 2.5))
        await asyncio.to_thread(kills[number % len(kills)])


async def test_no_readings_are_lost_when_any_process_is_killed(
    deployment: Deployment, receiver: Receiver
) -> None:
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


async def until_ended(deployment: Deployment) -> set[str]:
    """The states of all deliveries, once none waits any more."""

    async def ended() -> set[str]:
        states = {row[0] for row in await deployment.rows("SELECT DISTINCT status FROM deliveries")}
        return states if states <= {"succeeded", "failed", "skipped", "cancelled"} else set()

    return await wait_for_async("the end of all deliveries", ended)
