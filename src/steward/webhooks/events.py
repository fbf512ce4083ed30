"""Events about webhooks, and the one event that only a request for it causes. Events never hold a secret."""

from functools import partial

from msgspec import field

from steward.kit.domain.fields import Record
from steward.kit.events.event_types import Event, build_event, event_type
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.webhooks.model import EXAMPLE, Webhook, WebhookStatus
from steward.webhooks.subscription import TEST_TYPE

_define = partial(event_type, permission=Permission.WEBHOOKS_READ)

MESSAGE = "This is a test event from Steward."


class TestMessage(Record, frozen=True):
    """`id` is the webhook under test."""

    id: str
    message: str = MESSAGE


class DeletedWebhook(Record, frozen=True):
    """The identifier has the name that the other events about it use."""

    id: str = field(name="webhookId")
    deleted: bool = True


class DisabledWebhook(Record, frozen=True):
    """A webhook when it is disabled because of its receiver."""

    id: str = field(name="webhookId")
    url: str
    description: str | None
    status: str
    disabled_reason: str | None


_SHOWN = " ".join(Webhook.__struct_fields__)

CREATED = _define("webhook.created", "Webhook created; goes to the others.", EXAMPLE, _SHOWN)
UPDATED = _define(
    "webhook.updated",
    "Webhook changed, paused or taken back; goes to the others.",
    EXAMPLE,
    _SHOWN,
    previous="url events description filtering status disabled_reason types",
    was={"status": WebhookStatus.PAUSED},
)
ROTATED = _define(
    "webhook.rotated",
    "Webhook given another secret; goes to the others.",
    EXAMPLE,
    _SHOWN,
    previous="secret_last_four",
    was={"secret_last_four": "Zm8="},
)
DELETED = _define(
    "webhook.deleted",
    "Webhook deleted; goes to the others.",
    DeletedWebhook(EXAMPLE.id),
    "id deleted",
)
DISABLED = _define(
    "webhook.disabled",
    "A webhook was switched off, since nothing arrives there any more; goes to the others.",
    DisabledWebhook(
        "whk_00064a1b2c3d4e5f60718293a4b5",
        "https://hooks.example.com/steward",
        "ERP integration",
        "disabled",
        "no_success",
    ),
    "id url description status disabled_reason",
    was_status="active",
)
TEST = _define(
    TEST_TYPE,
    "Asked for by the test endpoint; goes to that webhook alone.",
    TestMessage("whk_00064a1b2c3d4e5f60718293a4b5"),
    "message",
    marks={"livemode": False, "isTest": True},
)


def build_test_event(webhook_id: str, *, tenant: TenantId, now: int) -> Event:
    return build_event(TEST, TestMessage(webhook_id), tenant=tenant, now=now)
