"""The page of a delivery: every attempt with its answer, the request, and a retry."""

from functools import partial
from typing import Any

import msgspec

from steward.kit.domain.problems import NotFound
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.organizations.model import Plan
from steward.webhooks import queries as webhooks
from steward.webhooks import rules
from steward.webhooks.deliveries import actions, queries
from steward.webhooks.deliveries.model import DeliveryDetails, DeliveryStatus
from steward.webhooks.model import StoredWebhook, WebhookStatus
from steward.webhooks.pages import PATH

_ONE = f"{PATH}/{{webhookId}}/deliveries/{{deliveryId}}"
_WAITING = (DeliveryStatus.PENDING, DeliveryStatus.RETRYING)
# How often the page polls: often while a result may come any moment.
_SOON_SECONDS = 15


async def show(request: PageRequest[Any, Any], status: int = 200) -> View:
    db, webhook_id = request.db, request.params["webhookId"]
    delivery = await queries.read(db, request.caller, request.params["deliveryId"], within=webhook_id)
    webhook = await _webhook(request)
    sent = delivery.request
    may_retry = request.may(Permission.WEBHOOKS_WRITE) and Plan(request.caller.plan).includes_api
    values = {
        "delivery": delivery,
        "webhook": webhook,
        "headers": {} if sent is None else sent.headers,
        "content": None if sent is None else msgspec.json.format(sent.body, indent=2),
        "refresh": _refresh_seconds(delivery, request.now),
        "form": request.form,
        "may_retry": may_retry and webhook is not None and webhook.status == WebhookStatus.ACTIVE,
        "webhook_path": f"{PATH}/{webhook_id}",
        "path": f"{PATH}/{webhook_id}/deliveries/{delivery.id}",
    }
    return View("webhooks/delivery.html", values, status, fragments={"attempts": "webhooks/attempts.html"})


async def _webhook(request: PageRequest[Any, Any]) -> StoredWebhook | None:
    """Deliveries stay when their webhook is deleted."""
    try:
        return await records.get(
            request.db, webhooks.WEBHOOKS, request.caller.tenant, request.params["webhookId"]
        )
    except NotFound:
        return None


def _refresh_seconds(delivery: DeliveryDetails, now: int) -> int | None:
    if delivery.status not in _WAITING:
        return None
    return 1 if (delivery.next_attempt_at or 0) <= now + _SOON_SECONDS else _SOON_SECONDS


async def retry(request: PageRequest[Any, Any]) -> Outcome:
    webhook_id, id = request.params["webhookId"], request.params["deliveryId"]

    async def act(_: Any) -> None:
        rules.require_plan(request.caller.plan)
        await actions.retry(request.context.on(id, within=webhook_id))

    return await submit(
        request,
        act,
        to=lambda _: Redirect(f"{PATH}/{webhook_id}/deliveries/{id}"),
        again=partial(show, request),
        name="retry",
    )


PAGES = (
    WebPage("GET", _ONE, show, Permission.WEBHOOKS_READ),
    WebPage("POST", f"{_ONE}/retry", retry, Permission.WEBHOOKS_WRITE),
)
