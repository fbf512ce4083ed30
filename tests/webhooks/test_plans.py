"""Webhooks of an organization whose plan has none: nothing is sent, and nothing that happened is lost."""

import time

from tests.support.organizations import Organization

from steward.kit.db.pool import Pool
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.security.caller import TenantId
from steward.work_orders.events import CREATED
from steward.work_orders.model import EXAMPLE


def _happens(organization: Organization) -> None:
    """Somebody makes a work order; such a plan has no API."""

    async def tell(pool: Pool) -> None:
        tenant, now = TenantId(organization.id), int(time.time())
        await publish(pool, tenant, [build_event(CREATED, EXAMPLE, tenant=tenant, now=now)], now)

    organization.with_pool(tell)


def test_events_of_a_plan_without_webhooks_can_be_replayed_after_an_upgrade(
    organization: Organization,
) -> None:
    active, paused = (organization.webhooks.create("workorder.created") for _ in range(2))
    organization.webhooks.change(paused, status="paused")
    organization.set_plan("Starter")
    assert organization.api.get(organization.webhooks.path).status_code == 403
    _happens(organization)
    organization.set_plan("Professional")
    _happens(organization)

    def states() -> list[tuple[str, str | None]]:
        return [(one["status"], one["reason"]) for one in organization.webhooks.deliveries(active)]

    assert states() == [("skipped", "plan"), ("pending", None)]
    assert [one["reason"] for one in organization.webhooks.deliveries(paused)] == ["webhook_paused"] * 2
    now = int(time.time())
    span = {"since": now - 3600, "until": now, "only": "skipped"}
    started = organization.api.post(organization.webhooks.path_of(active, "/replays"), json=span)
    assert started.status_code == 201
    # A replay waits while there is nobody to send to.
    organization.set_plan("Starter")
    organization.webhooks.run_replays(now)
    organization.set_plan("Professional")
    assert states() == [("skipped", "plan"), ("pending", None)]
    organization.webhooks.run_replays(now)
    assert states() == [("pending", "replayed"), ("pending", None)]
