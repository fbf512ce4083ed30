"""The one event that nothing but a request for it causes."""

from steward.kit.domain.fields import Record
from steward.kit.events.event_types import Event, build_event, event_type
from steward.kit.security.caller import TenantId

MESSAGE = "This is a test event from Steward."


class TestMessage(Record, frozen=True):
    """`id` is the webhook that is tested."""

    id: str
    message: str = MESSAGE


TEST = event_type(
    "webhook.test",
    "Asked for by the test endpoint; goes to that webhook alone.",
    TestMessage("whk_00064a1b2c3d4e5f60718293a4b5"),
    "message",
    marks={"livemode": False, "isTest": True},
)


def build_test_event(webhook_id: str, *, tenant: TenantId, now: int) -> Event:
    return build_event(TEST, TestMessage(webhook_id), tenant=tenant, now=now)
