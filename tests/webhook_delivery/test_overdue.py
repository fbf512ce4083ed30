"""Deliveries that nobody takes care of show in the health check; those of a slow receiver don't."""

from typing import Any

import httpx
import pytest
from tests.support.processes import ApiProcess, StewardProcess
from tests.support.service import Service
from tests.support.waiting import limit, wait_for
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

from steward.kit.runtime import clock
from steward.web.health import OVERDUE_SECONDS
from steward.webhook_delivery.jobs import OverdueCheck

LONG_AGO = 3600_000


async def _report(
    database: DeliveryDatabase, overdue: OverdueCheck, process: str = "prc_1", *, late_seconds: int = 1
) -> int | None:
    """What the process says after it has asked for the next round, so many seconds after its time."""
    await database.rows("UPDATE duties SET due = $1", clock.now() - late_seconds)
    await overdue.run(database.pool)
    return (await database.rows("SELECT oldest_due FROM processes WHERE id = $1", process))[0][0]


@pytest.fixture
async def late(database: DeliveryDatabase, receiver: Receiver) -> Any:
    """A webhook whose deliveries were due an hour ago."""
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    await database.publish(tenant, 3)
    await database.rows("UPDATE deliveries SET due = due - $1", LONG_AGO)
    await database.rows(
        """INSERT INTO processes (id, kind, seen, lease_until)
           VALUES ('prc_1', 'worker', $1, now()), ('prc_2', 'worker', $1, now())""",
        clock.now(),
    )
    return (await database.rows("SELECT min(due) FROM deliveries"))[0][0]


async def test_overdue_deliveries_count_after_a_minute(database: DeliveryDatabase, late: int) -> None:
    overdue = OverdueCheck(lambda: "prc_1")
    assert await _report(database, overdue) is None
    assert await _report(database, overdue) is None
    overdue._neglected_since = {key: since - 60_000 for key, since in overdue._neglected_since.items()}
    assert await _report(database, overdue) == late


async def test_a_webhook_with_a_request_in_flight_is_not_overdue(
    database: DeliveryDatabase, late: int
) -> None:
    overdue = OverdueCheck(lambda: "prc_1")
    await _report(database, overdue)
    overdue._neglected_since = {key: since - 60_000 for key, since in overdue._neglected_since.items()}
    lease = clock.now_ms() + 60_000
    await database.rows(
        "UPDATE deliveries SET due = $1, lease_until = $1 WHERE id = (SELECT min(id) FROM deliveries)", lease
    )
    assert await _report(database, overdue) is None


async def test_undue_and_paused_deliveries_are_not_overdue(database: DeliveryDatabase, late: int) -> None:
    overdue = OverdueCheck(lambda: "prc_1")
    await database.rows("UPDATE webhooks SET status = 'paused'")
    await _report(database, overdue)
    assert overdue._neglected_since == {}
    await database.rows("UPDATE webhooks SET status = 'active'")
    await database.rows("UPDATE deliveries SET due = $1", clock.now_ms() + LONG_AGO)
    await _report(database, overdue)
    assert overdue._neglected_since == {}


async def test_one_worker_checks_for_all_and_another_takes_over(
    database: DeliveryDatabase, late: int
) -> None:
    first, second = OverdueCheck(lambda: "prc_1"), OverdueCheck(lambda: "prc_2")
    for _ in range(2):
        await _report(database, first)
        assert len(first._neglected_since) == 1
        await _report(database, second, "prc_2")
        assert second._neglected_since == {}
    first._neglected_since = {key: since - 60_000 for key, since in first._neglected_since.items()}
    assert await _report(database, first) == late
    await _report(database, second, "prc_2", late_seconds=60)
    assert len(second._neglected_since) == 1
    # What the first has said no longer holds once it learns that another looks.
    await first.run(database.pool)
    assert await database.rows("SELECT 1 FROM processes WHERE oldest_due IS NOT NULL") == []
    assert first._neglected_since == {}
    await _report(database, first)
    assert first._neglected_since == {}


async def test_overdue_deliveries_make_the_service_not_ready(database: DeliveryDatabase, tmp_path) -> None:
    api = ApiProcess(tmp_path / "api.log", database.url)
    worker = StewardProcess(tmp_path / "worker.log", "worker", STEWARD_DATABASE_URL=database.url)
    try:
        api.wait_until_live()

        def ready() -> httpx.Response:
            return httpx.get(f"{api.base_url}/health/ready", timeout=limit(30), verify=False)

        wait_for("readiness", lambda: ready().status_code == 200)
        worker.stop()
        for waited, status in ((OVERDUE_SECONDS - 60, 200), (OVERDUE_SECONDS + 60, 503)):
            now = clock.now()
            await database.rows(
                "UPDATE processes SET seen = $1, oldest_due = $2 WHERE kind = 'worker'",
                now,
                (now - waited) * 1000,
            )
            assert ready().status_code == status
        assert "overdue" in ready().json()["message"]
        # A worker that is gone has nothing to say any more.
        await database.rows("UPDATE processes SET seen = 0 WHERE kind = 'worker'")
        assert "No worker" in ready().json()["message"]
    finally:
        api.stop()
        worker.stop()


def test_the_shared_service_is_ready(service: Service) -> None:
    def ready() -> bool:
        return (
            httpx.get(f"{service.base_url}/health/ready", timeout=limit(30), verify=False).status_code == 200
        )

    wait_for("readiness", ready)
