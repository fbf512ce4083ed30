from functools import partial

from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.records import records
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.kit.security.url_guard import check_url
from steward.webhooks import actions, queries
from steward.webhooks.model import (
    EXAMPLE,
    EXAMPLE_WITH_SECRET,
    NewWebhook,
    SecretRotation,
    SentTest,
    Webhook,
    WebhookChanges,
    WebhookWithSecret,
)
from steward.webhooks.rules import public, without_secret

WEBHOOKS = Resource(
    path="/v2/organizations/{orgId}/webhooks",
    gives=Webhook,
    example=EXAMPLE,
    table=queries.WEBHOOKS,
    listing=queries.LISTING,
    read_permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
    versioned_part=without_secret,
)


async def read(call: Call[NoBody, NoQuery]) -> Response:
    stored = await records.get(call.db, queries.WEBHOOKS, call.caller.tenant, call.params["webhookId"])
    return one(public(stored), request_id=call.request_id)


async def test(call: Call[NoBody, NoQuery]) -> Response:
    sent = await actions.test(WEBHOOKS.target(call))
    return plain(sent, status=202, request_id=call.request_id)


_TEST = WEBHOOKS.route(
    "POST",
    f"{WEBHOOKS.item}/test",
    handler=test,
    summary="Test a webhook",
    description="Sends one `webhook.test` event to this webhook alone, whatever its events and filter; its "
    "failures don't count towards disabling the webhook. `…/deliveries/{deliveryId}` tells how it went.",
    status=202,
    shape="plain",
    gives=SentTest,
    refusals={409: "The webhook is paused or disabled."},
    example=SentTest("evt_00064a1b2c3d4e5f60718293a4b5", "dlv_00064a1b2c3d4e5f60718264a1b2c3d4e5f6"),
)


def routes(encryption: Encryption, *, allow_local: bool) -> tuple[Route, ...]:
    check = partial(check_url, allow_local)
    return (
        WEBHOOKS.list(),
        *WEBHOOKS.exports(),
        WEBHOOKS.create(
            partial(actions.create, encryption, check),
            NewWebhook,
            description="The signing secret is shown in this answer and never again. An organization has at most 50 "
            "webhooks.",
            body_example={
                "url": "https://hooks.example.com/steward",
                "events": ["workorder.*", "asset.status.changed"],
                "description": "ERP integration",
            },
            gives=WebhookWithSecret,
            example=EXAMPLE_WITH_SECRET,
            refusals={409: "The organization has as many webhooks as it may."},
        ),
        WEBHOOKS.read(handler=read),
        WEBHOOKS.change(
            partial(actions.change, check),
            WebhookChanges,
            description="A new address also gets the pending deliveries of the old one, and the secret stays. Pausing skips "
            "pending deliveries; `active` ends a pause and enables a disabled webhook.",
            body_example={"status": "paused"},
        ),
        WEBHOOKS.delete(actions.delete, description="Its pending deliveries are cancelled."),
        WEBHOOKS.move_with(
            "rotate-secret",
            partial(actions.rotate_secret, encryption),
            SecretRotation,
            summary="Rotate the secret of a webhook",
            description="The new secret is shown in this answer and never again. For `graceSeconds` deliveries are signed with "
            "the older ones, too; none of those signs for longer than that, and 0 ends all of them at once.",
            body_example={"graceSeconds": 86400},
            gives=WebhookWithSecret,
            example=EXAMPLE_WITH_SECRET,
            refusals={409: "Ten older secrets are still in their grace."},
        ),
        _TEST,
    )
