"""That a webhook was switched off, and the one event that nothing but a request for it causes."""

from msgspec import field

from steward.kit.domain.fields import Record
from steward.kit.events.event_types import Event, build_event, event_type
from steward.kit.security.caller import TenantId

MESSAGE = "This is a test event from Steward."


class TestMessage(Record, frozen=True):
    """`id` is the webhook that is tested."""

    id: str
    message: str = MESSAGE


class DisabledWebhook(Record, frozen=True):
    """A webhook at the moment when we give up on its receiver."""

    id: str = field(name="webhookId")
    url: str
    description: str | None
    status: str
    disabled_reason: str | None


DISABLED = event_type(
    "webhook.disabled",
    "A webhook was switched off, since nothing arrives there any more; told to the others.",
    DisabledWebhook(
        "whk_00064a1b2c3d4e5f60718293a4b5",
        "https://hooks.example.com/steward",
        "ERP integration",
        "disabled",
        "no_success",
    ),
    "id url description status disabled_reason",
    previous="status",
    was={"status": "active"},
)
TEST = event_type(
    "webhook.test",
    "Asked for by the test endpoint; goes to that webhook alone.",
    TestMessage("whk_00064a1b2c3d4e5f60718293a4b5"),
    "message",
    marks={"livemode": False, "isTest": True},
)


def build_test_event(webhook_id: str, *, tenant: TenantId, now: int) -> Event:
    return build_event(TEST, TestMessage(webhook_id), tenant=tenant, now=now)
