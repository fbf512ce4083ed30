"""What happens to readings when something is full, away or killed: what was answered is there, and nothing twice."""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.locks import end_backends, waiting_backends
from tests.support.organizations import Client, Organization
from tests.support.processes import ApiProcess
from tests.support.service import Service
from tests.support.waiting import limit, wait_for

from steward.alert_rules.queries import load_rule_index
from steward.ingest.batch_writer import BatchWriter, Outcome
from steward.ingest.model import Reading
from steward.ingest.store import Store
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Pool
from steward.kit.domain.problems import Unavailable
from steward.kit.security.caller import TenantId


@contextlib.contextmanager
def held(organization: Organization, asset_id: str) -> Iterator[None]:
    """An asset that somebody else holds: what is sent for it waits."""
    ready, done = threading.Event(), threading.Event()

    async def hold() -> None:
        connection = await asyncpg.connect(organization.database_url)
        async with connection.transaction():
            asset = "SELECT 1 FROM assets WHERE organization_id = $1 AND id = $2 FOR UPDATE"
            await connection.execute(asset, organization.id, asset_id)
            ready.set()
            await asyncio.to_thread(done.wait)
        await connection.close()

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()
    assert ready.wait(limit(60))
    try:
        yield
    finally:
        done.set()
        thread.join()


def _waiting(url: str) -> list[int]:
    """The backends that wait for an asset which is held."""
    like = "%FOR NO KEY UPDATE OF a%"
    return wait_for("the wait for the lock", lambda: asyncio.run(waiting_backends(url, like)))


def _background(call: Any) -> tuple[threading.Thread, list[httpx.Response]]:
    answers: list[httpx.Response] = []
    thread = threading.Thread(target=lambda: answers.append(call()))
    thread.start()
    return thread, answers


def test_a_full_queue_refuses_new_items_and_keeps_accepted_ones(
    organization: Organization, service: Service, now: int
) -> None:
    small = service.another_api(STEWARD_TELEMETRY_QUEUE="1000")
    devices = [organization.devices.add(f"Sensor {i}") for i in range(3)]

    def batch(size: int) -> list[dict[str, Any]]:
        return [
            {"assetId": devices[i % 3], "values": {"Temperature": i}, "timestamp": now - 900 + i}
            for i in range(size)
        ]

    def client() -> Client:
        return organization.client(key=organization.secret, base_url=small.base_url)

    with held(organization, devices[0]):
        thread, answers = _background(lambda: organization.devices.send_batch(*batch(400), api=client()))
        _waiting(organization.database_url)
        refused = organization.devices.send_batch(*batch(700), api=client())
        assert (refused.status_code, refused.json()["error"]) == (503, "Unavailable")
        assert refused.headers["Retry-After"] == "1"
        # Nothing else stands still meanwhile.
        assert client().get(f"{organization.path}/assets/{devices[0]}").status_code == 200
    thread.join()
    assert data_of(answers[0])["accepted"] == 400
    assert sum(len(organization.devices.history(device)) for device in devices) == 400
    assert organization.devices.send_batch(*batch(700), api=client()).status_code == 200
    assert sum(len(organization.devices.history(device)) for device in devices) == 700


@pytest.fixture
def killed_api(service: Service, tmp_path: Path) -> Iterator[Any]:
    """An API process that can be killed and started again."""
    started: list[ApiProcess] = []

    def start() -> ApiProcess:
        process = ApiProcess(tmp_path / f"api-{len(started)}.log", service.database_url)
        started.append(process)
        process.wait_until_live()
        return process

    yield start
    for process in started:
        process.kill()


def test_after_kill_9_every_answered_reading_is_there_and_none_twice(
    organization: Organization, killed_api: Any, now: int
) -> None:
    devices = [organization.devices.add(f"Sensor {i}") for i in range(4)]
    acknowledged: set[tuple[str, int]] = set()
    sent = 0
    for _ in range(5):
        process = killed_api()
        api = organization.client(key=organization.secret, base_url=process.base_url)
        killer = threading.Timer(0.4, process.kill)
        killer.start()
        while True:
            # A reading that got no answer is sent again, as devices do: with its timestamp it is the same one.
            readings: list[dict[str, Any]] = [
                {
                    "assetId": devices[i % 4],
                    "values": {"Temperature": sent + i},
                    "timestamp": now - 900 + (sent + i) // 4,
                }
                for i in range(20)
            ]
            try:
                answer = organization.devices.send_batch(*readings, api=api)
            except httpx.TransportError:
                break
            assert data_of(answer)["accepted"] == 20
            acknowledged |= {(reading["assetId"], reading["timestamp"]) for reading in readings}
            sent = (sent + 20) % 3200
        killer.join()
    stored = [
        (device, at) for device in devices for at, _ in organization.devices.history(device, resolution=2000)
    ]
    assert len(stored) == len(set(stored))
    assert acknowledged <= set(stored)
    # At most the request that was under way when a process died is there without having been answered.
    assert len(set(stored) - acknowledged) <= 5 * 20


def test_a_reading_whose_connection_broke_while_storing_can_be_sent_again(
    organization: Organization, now: int
) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 1}, now - 5)
    with held(organization, device):
        thread, answers = _background(lambda: organization.devices.send(device, {"Temperature": 2}, now))
        url = organization.database_url
        asyncio.run(end_backends(url, _waiting(url)))
        thread.join()
    assert answers[0].status_code == 503
    assert answers[0].headers["Retry-After"]
    assert organization.devices.history(device) == [(now - 5, 1)]
    organization.devices.report(device, {"Temperature": 2}, now)
    assert organization.devices.history(device) == [(now - 5, 1), (now, 2)]


def test_a_reading_that_breaks_a_batch_is_isolated(organization: Organization, now: int) -> None:
    """A number that PostgreSQL can't take for this asset's series must not take its neighbours with it."""
    good, bad = organization.devices.add("Good"), organization.devices.add("Bad")
    organization.devices.send_batch(
        *({"assetId": d, "values": {"Temperature": 1}, "timestamp": now - 9} for d in (good, bad))
    )
    url = organization.database_url
    fetch(
        url, f"ALTER TABLE assets ADD CONSTRAINT spoiled CHECK (id <> '{bad}' OR last_seen < {now}) NOT VALID"
    )
    try:
        answer = organization.devices.send_batch(
            {"assetId": good, "values": {"Temperature": 2}, "timestamp": now},
            {"assetId": bad, "values": {"Temperature": 2}, "timestamp": now},
        )
    finally:
        fetch(url, "ALTER TABLE assets DROP CONSTRAINT spoiled")
    assert answer.status_code == 200, answer.text
    first, second = data_of(answer)["results"]
    assert first == {"index": 0, "accepted": True, "assetId": good, "timestamp": now}
    assert (second["accepted"], second["error"]) == (False, "InternalError")
    assert (organization.devices.read(good)["lastSeen"], organization.devices.read(bad)["lastSeen"]) == (
        now,
        now - 9,
    )


@pytest.mark.usefixtures("one_server")
def test_readings_of_connected_devices_touch_no_index(organization: Organization, now: int) -> None:
    header, rows = (
        "name,assetTypeId",
        "\r\n".join(f"Sensor {i},{organization.devices.type_id}" for i in range(300)),
    )
    text = {"Content-Type": "text/csv"}
    answer = organization.api.post(
        f"{organization.path}/assets/import", content=f"{header}\r\n{rows}", headers=text
    )
    assert answer.is_success, answer.text
    organization.alert_rules.create(noDataSeconds=3600)
    url, tenant = organization.database_url, TenantId(organization.id)
    devices = [row[0] for row in fetch(url, "SELECT id FROM assets WHERE organization_id = $1", tenant)]
    # As they report in life: few of those that share a page at the same time.
    batches = [devices[start::30] for start in range(30)]
    for some in batches:
        organization.devices.send_batch(
            *({"assetId": d, "values": {"Temperature": 1}, "timestamp": now - 30} for d in some)
        )
    connected = "UPDATE assets SET connection_status = true, connectivity_due = $2 WHERE organization_id = $1"
    fetch(url, connected, tenant, now + 600)
    fetch(url, "VACUUM FULL assets")

    async def updates_and_hot_ones(since: int) -> list[int]:
        pool, store, total = Pool(url, 1), Store(TenantCache(load_rule_index)), [0, 0]
        figures = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'assets'"
        for second, some in itertools.product(range(4), batches):
            async with pool.transaction() as tx:
                readings = [Reading(tenant, d, since + second, {"Temperature": second}) for d in some]
                before = await tx._connection.fetchrow(figures)
                assert await store.take(tx, readings) == [None] * len(some)
                after = await tx._connection.fetchrow(figures)
                total = [t + new - old for t, new, old in zip(total, after, before, strict=True)]
        await pool.close()
        return total

    # Other transactions on the same database keep old versions from being removed: then it is tried again.
    shares = []
    for since in (now - 20, now - 15, now - 10):
        updated, hot = asyncio.run(updates_and_hot_ones(since))
        assert updated == 4 * 300
        shares.append(hot / updated)
        if shares[-1] >= 0.99:
            break
        fetch(url, "VACUUM FULL assets")
    assert shares[-1] >= 0.99, shares


async def test_readings_with_a_lock_conflict_can_be_retried(database_url: str) -> None:
    """A deadlock says nothing of the readings: 503, and never that one of them could not be stored."""

    async def in_the_way(*_: object) -> list[Outcome]:
        raise asyncpg.DeadlockDetectedError("deadlock detected")

    writer = BatchWriter(Pool(database_url, 1), in_the_way, max_waiting=10)
    with pytest.raises(Unavailable):
        await writer.write([Reading(TenantId("org_1"), "ast_1", 1, {"Temperature": 1})])
    await writer.stop()
