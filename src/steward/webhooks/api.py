from functools import partial

from steward.kit.domain.problems import Invalid
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.records import records
from steward.kit.security import url_guard as guard
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.webhooks import actions, queries
from steward.webhooks.actions import CheckUrl
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
    tag="Webhooks",
    path="/v2/organizations/{orgId}/webhooks",
    id_name="webhookId",
    gives=Webhook,
    example=EXAMPLE,
    listing=queries.LISTING,
    read_permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
)
_ONE = WEBHOOKS.path + "/{webhookId}"


async def check_url(allow_local: bool, url: str) -> None:  # noqa: FBT001 (bound once, by its place)
    try:
        await guard.check(url, allow_local=allow_local)
    except guard.BlockedAddressError as blocked:
        raise Invalid("url", str(blocked)) from None


async def read(call: Call[NoBody, NoQuery]) -> Response:
    stored = await records.get(call.db, queries.WEBHOOKS, call.caller.tenant, call.params["webhookId"])
    return one(public(stored), request_id=call.request_id)


async def create(encryption: Encryption, check: CheckUrl, call: Call[NewWebhook, NoQuery]) -> Response:
    made = await actions.create(encryption, check, call.context, call.body)
    location = f"{WEBHOOKS.path.format(orgId=call.caller.tenant)}/{made.id}"
    return one(
        made,
        status=201,
        headers=[("location", location)],
        version=without_secret(made),
        request_id=call.request_id,
    )


async def rotate(encryption: Encryption, call: Call[SecretRotation, NoQuery]) -> Response:
    id = call.params["webhookId"]
    made = await actions.rotate_secret(encryption, call.context.on(id, call.precondition), call.body)
    return one(made, version=without_secret(made), request_id=call.request_id)


async def test(call: Call[NoBody, NoQuery]) -> Response:
    sent = await actions.test(call.context.on(call.params["webhookId"]))
    return plain(sent, status=202, request_id=call.request_id)


_TEST = Route(
    method="POST",
    path=f"{_ONE}/test",
    handler=test,
    tag=WEBHOOKS.tag,
    summary="Test a webhook",
    operation_id="testWebhook",
    description="Sends one `webhook.test` event to this webhook alone, whatever its events and filter; its "
    "failures don't count towards disabling the webhook. `…/deliveries/{deliveryId}` tells how it went.",
    permission=WEBHOOKS.write_permission,
    status=202,
    shape="plain",
    gives=SentTest,
    refusals={409: "The webhook is paused or disabled."},
    example=SentTest("evt_00064a1b2c3d4e5f60718293a4b5", "dlv_00064a1b2c3d4e5f60718264a1b2c3d4e5f6"),
)


def _create_route(encryption: Encryption, check: CheckUrl) -> Route:
    return Route(
        method="POST",
        path=WEBHOOKS.path,
        handler=partial(create, encryption, check),
        tag=WEBHOOKS.tag,
        summary="Create a webhook",
        operation_id="createWebhook",
        description="The signing secret is shown in this answer and never again. An organization has at most 50 "
        "webhooks.",
        permission=WEBHOOKS.write_permission,
        status=201,
        body=NewWebhook,
        stored_in="webhooks",
        body_example={
            "url": "https://hooks.example.com/steward",
            "events": ["workorder.*", "asset.status.changed"],
            "description": "ERP integration",
        },
        gives=WebhookWithSecret,
        example=EXAMPLE_WITH_SECRET,
        refusals={409: "The organization has as many webhooks as it may."},
    )


def _rotate_route(encryption: Encryption) -> Route:
    return Route(
        method="POST",
        path=f"{_ONE}/rotate-secret",
        handler=partial(rotate, encryption),
        tag=WEBHOOKS.tag,
        summary="Rotate the secret of a webhook",
        operation_id="rotateSecretOfWebhook",
        description="The new secret is shown in this answer and never again. For `graceSeconds` deliveries are signed with "
        "the older ones, too; none of those signs for longer than that, and 0 ends all of them at once.",
        permission=WEBHOOKS.write_permission,
        move=True,
        body=SecretRotation,
        body_example={"graceSeconds": 86400},
        gives=WebhookWithSecret,
        example=EXAMPLE_WITH_SECRET,
        refusals={409: "Ten older secrets are still in their grace."},
    )


def routes(encryption: Encryption, *, allow_local: bool) -> tuple[Route, ...]:
    check = partial(check_url, allow_local)
    return (
        WEBHOOKS.list("listWebhooks", "List webhooks"),
        *WEBHOOKS.exports("exportWebhooks", "webhooks"),
        _create_route(encryption, check),
        WEBHOOKS.read("readWebhook", "Read a webhook", handler=read),
        WEBHOOKS.change(
            partial(actions.change, check),
            "changeWebhook",
            "Change a webhook",
            description="A new address also gets the pending deliveries of the old one, and the secret stays. Pausing skips "
            "pending deliveries; `active` ends a pause and enables a disabled webhook.",
            body=WebhookChanges,
            stored_in="webhooks",
            body_example={"status": "paused"},
        ),
        WEBHOOKS.delete(
            actions.delete,
            "deleteWebhook",
            "Delete a webhook",
            description="Its pending deliveries are cancelled.",
        ),
        _rotate_route(encryption),
        _TEST,
    )
