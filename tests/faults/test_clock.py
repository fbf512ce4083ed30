"""The clock was hours ahead and has been set back: the times it left in the database delay no other."""

import asyncio
import os
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx
import pytest
from soak.deployment import CLOCK_FOLDER, Clock
from tests.faults.deployment import Deployment
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Organization
from tests.support.servers import drop_database, make_database, own_name
from tests.support.service import Service
from tests.support.waiting import limit, wait_for
from tests.webhook_delivery.delivery_database import DeliveryDatabase

from steward.ingest.mqtt.session import open_leases
from steward.kit.coordination.rate_limiter import Limit, Limiter, is_over
from steward.kit.db.pool import Pool
from steward.kit.domain.ids import new_id
from steward.kit.runtime import clock
from steward.kit.runtime.clock import SKEW_MS, WallClock
from steward.upkeep.clock_skew import ClockSkew

HOURS = 3 * 3600
AHEAD_MS = HOURS * 1000
_HOUR_MS = 3_600_000
LIMIT = Limit("clock-test", 3, 900, "things")


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    pool = Pool(database_url, 2)
    yield pool
    await pool.execute("DELETE FROM telemetry_recent WHERE series = -7")  # type: ignore[arg-type]
    await pool.close()


def test_a_window_that_begins_hours_from_now_is_over() -> None:
    now = clock.now_ms()
    assert not is_over(now, now + 1, now)
    assert not is_over(now + 5_000, now + 65_000, now), "clocks of two machines are never quite the same"
    assert is_over(now - 2, now - 1, now)
    assert is_over(now + AHEAD_MS, now + AHEAD_MS + 60_000, now)


def test_a_clock_that_lost_time_is_detected() -> None:
    shown = iter([0, AHEAD_MS, AHEAD_MS - SKEW_MS, 5, AHEAD_MS, 6])
    wall = WallClock(lambda: next(shown))
    seen = []
    for _ in range(6):
        wall.now_ms()
        seen.append((wall.set_backs, wall.latest_ms))
    last = AHEAD_MS - SKEW_MS
    assert seen == [(0, 0), (0, 0), (0, 0), (1, last), (1, last), (2, AHEAD_MS)]


async def test_a_limit_used_up_by_a_skewed_clock_is_reset(pool: Pool) -> None:
    now = clock.now_ms() + AHEAD_MS
    limiter, other = Limiter(pool, lambda: now), Limiter(pool, lambda: now)
    subject = new_id("tst")
    for _ in range(LIMIT.allowed):
        assert (await limiter.take(LIMIT, subject)).allowed
    assert not (await limiter.take(LIMIT, subject)).allowed
    assert await other.exhausted(LIMIT, subject) is not None
    now -= AHEAD_MS
    # In the process that used it up, in another, and in one that begins now.
    assert limiter.known(LIMIT, subject).allowed
    assert await other.exhausted(LIMIT, subject) is None
    verdicts = [await each.take(LIMIT, subject) for each in (limiter, other, Limiter(pool, lambda: now))]
    assert [verdict.allowed for verdict in verdicts] == [True] * 3
    assert all(verdict.reset_seconds <= LIMIT.seconds for verdict in verdicts)
    assert not (await other.take(LIMIT, subject)).allowed


def test_a_rate_limit_window_of_a_skewed_clock_refuses_no_request(organization: Organization) -> None:
    later = clock.now_ms() + AHEAD_MS
    key = organization.new_key()
    for scope, subject, used in (("plan-enterprise", organization.id, 500), ("key", key["keyId"], 100_000)):
        fetch(
            organization.database_url,
            """INSERT INTO rate_windows (scope, subject, started, ends, used, granted) VALUES ($1, $2, $3::bigint, $3::bigint + 60000, $4, 0)
               ON CONFLICT (scope, subject) DO UPDATE SET started = $3::bigint, ends = $3::bigint + 60000, used = $4""",
            scope,
            subject,
            later,
            used,
        )
    # More than the process may still hold of the window before.
    caller = organization.client(key=key["secret"])
    assert {caller.get(organization.path).status_code for _ in range(60)} == {200}


def test_a_lease_from_a_skewed_clock_delays_one_change_for_seconds_only(
    organization: Organization,
) -> None:
    ahead = new_id("prc")
    fetch(
        organization.database_url,
        "INSERT INTO processes (id, kind, seen, lease_until) VALUES ($1, 'api', $2, now() + interval '3 hours')",
        ahead,
        clock.now() + HOURS,
    )
    for key in [organization.new_key(), organization.new_key()]:
        assert organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}").status_code == 200
        assert organization.client(key=key["secret"]).get(organization.path).status_code == 401
        # Ended by the first, so nothing holds up the second.
        held = fetch(
            organization.database_url, "SELECT lease_until > now() FROM processes WHERE id = $1", ahead
        )
        assert [row[0] for row in held] in ([False], [])


def test_a_heartbeat_in_the_future_does_not_count(deployment: Deployment) -> None:
    def status() -> int:
        return httpx.get(f"{deployment.api.base_url}/health/ready", timeout=limit(60)).status_code

    wait_for("readiness", lambda: status() == 200)
    deployment.worker.stop()
    try:
        fetch(
            deployment.database_url,
            "INSERT INTO processes (id, kind, seen, lease_until) VALUES ('prc_later', 'worker', $1, now())",
            clock.now() + HOURS,
        )
        wait_for("unreadiness", lambda: status() == 503)
    finally:
        deployment.worker = deployment.start_worker()
    wait_for("readiness", lambda: status() == 200)


async def test_deliveries_from_a_skewed_clock_become_due_and_others_keep_their_time(
    database_url: str,
) -> None:
    database = DeliveryDatabase(await make_database(database_url, own_name("clock"), migrated=True))
    now = clock.now_ms()
    try:
        tenant = await database.new_tenant()
        await database.webhook(tenant, "https://receiver.example/")
        leased, retried, made, waiting = await _four_deliveries(database, tenant, now)
        times = ClockSkew()
        assert await times.repair(database.pool, now) == 3
        dues = {
            row["id"]: (row["due"], row["lease_until"])
            for row in await database.deliveries(organization_id=tenant)
        }
        assert [dues[id] for id in (leased, retried, made)] == [(now, None)] * 3
        assert dues[waiting] == (now + AHEAD_MS, None)
        assert await times.repair(database.pool, now) == 0
    finally:
        await database.close()
        await drop_database(database_url, own_name("clock"))


async def _four_deliveries(database: DeliveryDatabase, tenant: str, now: int) -> list[str]:
    """One under way, one to be tried again and one that was just made when it was later; and one that waits by right."""
    later = now + AHEAD_MS
    [webhook] = await database.rows("SELECT id FROM webhooks WHERE organization_id = $1", tenant)
    ids = [new_id("dlv"), new_id("dlv"), f"dlv_{later * 1000:014x}test", new_id("dlv")]
    rows = [
        ("pending", later + 60_000, later + 60_000),
        ("retrying", later + 60_000, None),
        ("pending", later, None),
        ("retrying", later, None),
    ]
    for id, (status, due, lease) in zip(ids, rows, strict=True):
        await database.rows(
            """INSERT INTO deliveries (organization_id, id, webhook_id, event_id, status, attempts, created, due, lease_until)
               VALUES ($1, $2, $3, 'evt_x', $4, 1, $5, $6, $7)""",
            tenant,
            id,
            webhook["id"],
            status,
            now // 1000,
            due,
            lease,
        )
    await database.rows(
        """INSERT INTO delivery_attempts (organization_id, delivery_id, number, started, duration_ms)
           VALUES ($1, $2, 1, $3, 5)""",
        tenant,
        ids[1],
        later,
    )
    await database.rows(
        "INSERT INTO processes (id, kind, seen, lease_until) VALUES ($1, 'worker', $2, now())",
        new_id("prc"),
        later // 1000,
    )
    return ids


async def test_a_broker_session_of_a_clock_ahead_is_taken_over(database_url: str) -> None:
    statement = "INSERT INTO duties (name, due) VALUES ('mqtt session 63', $1)"
    await asyncio.to_thread(fetch, database_url, statement, clock.now() + HOURS)
    async with open_leases(database_url) as leases:
        assert 63 in await leases.abandoned(600)
        await leases.forget(63)


def _by(wrong: Clock) -> dict[str, str]:
    paths = [str(CLOCK_FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), "SOAK_CLOCK": str(wrong.file)}


def test_records_of_processes_with_different_clocks_are_newest_first(
    organization: Organization, service: Service, tmp_path: Path
) -> None:
    ahead = Clock(tmp_path / "clock.bin")
    ahead.set(worker=0, others=HOURS)
    other = service.another_api(**_by(ahead))
    wrong = organization.client(key=organization.secret, base_url=other.base_url)
    made = []
    for number, client in enumerate([organization.api, wrong, organization.api, wrong, organization.api]):
        if number == 3:
            ahead.set(worker=0, others=0)
        answer = client.post(f"{organization.path}/work-orders", json={"title": f"Leak {number}"})
        made.append(data_of(answer))
    listed = data_of(wrong.get(f"{organization.path}/work-orders"))
    assert [order["title"] for order in listed] == [f"Leak {number}" for number in (4, 3, 2, 1, 0)]
    assert max(order["created"] for order in made) < clock.now() + HOURS / 2
    assert (
        httpx.get(f"{other.base_url}/health/ready", timeout=limit(60)).json()
        == httpx.get(f"{organization.base_url}/health/ready", timeout=limit(60)).json()
    )


def test_a_reading_taken_with_a_skewed_clock_is_shown_at_once(
    organization: Organization, service: Service, tmp_path: Path
) -> None:
    ahead = Clock(tmp_path / "clock.bin")
    ahead.set(worker=0, others=HOURS)
    other = service.another_api(**_by(ahead))
    device, now = organization.devices.add(), clock.now()
    path = f"{organization.path}/assets/{device}/telemetry"
    sender = organization.client(key=organization.secret, base_url=other.base_url)
    sent = sender.post(path, json={"values": {"Temperature": 21}, "timestamp": now - 60})
    assert sent.status_code == 200, sent.text
    date = parsedate_to_datetime(sent.headers["date"]).timestamp()
    assert date > now + HOURS - 60, "its clock is ahead"
    history = organization.api.get(f"{path}?key=Temperature&from={now - 3600}&to={now}")
    [series] = data_of(history)["series"]
    assert [point["average"] for point in series["points"]] == [21]


async def test_a_reading_from_a_skewed_clock_is_shown_after_a_time_mark(pool: Pool) -> None:
    now = clock.now_ms()
    await _read_in_the_future(pool, now)
    mark = (
        "INSERT INTO processes (id, kind, seen, lease_until) VALUES ($1, 'clock', $2, now() - interval '1s')"
    )
    await pool.execute(mark, new_id("prc"), now // 1000 + HOURS)  # type: ignore[arg-type]
    await ClockSkew().repair(pool, now)
    assert await _arrivals(pool) == [now // _HOUR_MS]
    assert await pool.fetchval("SELECT count(*) FROM processes WHERE kind = 'clock'") == 0  # type: ignore[arg-type]


async def test_clock_skew_between_two_checks_is_still_repaired(pool: Pool) -> None:
    now = clock.now_ms()
    shown = iter([now + AHEAD_MS, now])
    wall = WallClock(lambda: next(shown))
    skew = ClockSkew(wall)
    for _ in range(2):
        wall.now_ms()
    await _read_in_the_future(pool, now)
    await skew.repair(pool, now)
    assert await _arrivals(pool) == [now // _HOUR_MS]
    # One that was under way comes after that.
    await _read_in_the_future(pool, now + 1000)
    await skew.repair(pool, now)
    assert await _arrivals(pool) == [now // _HOUR_MS] * 2


async def _read_in_the_future(pool: Pool, now_ms: int) -> None:
    await pool.execute(
        "INSERT INTO telemetry_recent (tenant, series, arrived, second, vals) VALUES (1, -7, $1, $2, '{1}')",  # type: ignore[arg-type]
        (arrived := (now_ms + AHEAD_MS) // _HOUR_MS),
        now_ms // 1000 - arrived * 3600,
    )


async def _arrivals(pool: Pool) -> list[int]:
    rows = await pool.fetch("SELECT arrived FROM telemetry_recent WHERE series = -7")  # type: ignore[arg-type]
    return [row[0] for row in rows]
