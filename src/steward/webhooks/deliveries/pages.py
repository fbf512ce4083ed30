"""The page of a delivery: every attempt with its answer, the request, and a retry."""

from typing import Any

import msgspec

from steward.kit.domain.problems import NotFound
from steward.kit.records.context import Target
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View
from steward.organizations.model import Plan
from steward.webhooks import queries as webhooks
from steward.webhooks import rules
from steward.webhooks.deliveries import actions, queries
from steward.webhooks.deliveries.model import DeliveryDetails, DeliveryStatus
from steward.webhooks.model import StoredWebhook, WebhookStatus
from steward.webhooks.pages import PATH
from steward.webhooks.pages import RECORD as WEBHOOK

_WAITING = (DeliveryStatus.PENDING, DeliveryStatus.RETRYING)
# How often the page polls: often while a result may come any moment.
_SOON_SECONDS = 15


class DeliveryPage(msgspec.Struct, frozen=True, kw_only=True):
    delivery: DeliveryDetails
    # None once it is deleted.
    webhook: StoredWebhook | None
    content: bytes | str | None
    # Seconds until the page asks again.
    refresh: int | None
    may_retry: bool
    path: str


async def show(request: PageRequest[Any, Any], status: int) -> View:
    webhook_id = request.params["webhookId"]
    delivery = await queries.read(request.db, request.caller, request.params["deliveryId"], within=webhook_id)
    webhook = await _webhook(request)
    sent = delivery.request
    may_retry = request.may(Permission.WEBHOOKS_WRITE) and Plan(request.caller.plan).includes_api
    page = DeliveryPage(
        delivery=delivery,
        webhook=webhook,
        content=None if sent is None else msgspec.json.format(sent.body, indent=2),
        refresh=_refresh_seconds(delivery, request.now),
        may_retry=may_retry and webhook is not None and webhook.status == WebhookStatus.ACTIVE,
        path=f"{PATH}/{webhook_id}/deliveries/{delivery.id}",
    )
    return View("webhooks/delivery.html", page, status, fragments={"attempts": "webhooks/attempts.html"})


async def _webhook(request: PageRequest[Any, Any]) -> StoredWebhook | None:
    """Deliveries stay when their webhook is deleted."""
    try:
        return await request.get(webhooks.WEBHOOKS, "webhookId")
    except NotFound:
        return None


def _refresh_seconds(delivery: DeliveryDetails, now: int) -> int | None:
    if delivery.status not in _WAITING:
        return None
    return 1 if (delivery.next_attempt_at or 0) <= now + _SOON_SECONDS else _SOON_SECONDS


async def _retry(ctx: Target) -> None:
    rules.require_plan(ctx.who.plan)
    await actions.retry(ctx)


_RECORD = WEBHOOK.below("deliveries", "deliveryId", show)
PAGES = (_RECORD.read(), _RECORD.move("retry", _retry))
