"""The policy of an organization: how long a response and a resolution may take, and when the clocks run."""

from typing import Annotated

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Body, Priority, Record, Seconds
from steward.work_orders.sla.business_hours import AlwaysOpen, Calendar

Minutes = Annotated[int, Meta(ge=1, le=525_600)]

# A target that takes longer than this in its calendar is a mistake.
MAX_YEARS = 10


class SlaTarget(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    response_minutes: Minutes
    resolution_minutes: Minutes


class SlaPolicy(Record, frozen=True):
    targets: dict[Priority, SlaTarget]
    calendar: Calendar
    updated: Seconds | None = None


class SlaClock(msgspec.Struct, frozen=True):
    """One of an order's two clocks, for display."""

    name: str
    started: int
    deadline: int
    # When it stopped for good.
    ended: int | None
    breached: bool
    # It is paused.
    paused: bool
    # The used share of the time; at most 100.
    percent: int


class NewSlaPolicy(Body, frozen=True):
    targets: Annotated[dict[Priority, SlaTarget], Meta(description="One for each priority.")]
    calendar: Calendar = AlwaysOpen()


DEFAULT_POLICY = SlaPolicy(
    targets={
        Priority.CRITICAL: SlaTarget(15, 240),
        Priority.HIGH: SlaTarget(60, 480),
        Priority.MEDIUM: SlaTarget(240, 1440),
        Priority.LOW: SlaTarget(480, 4320),
    },
    calendar=AlwaysOpen(),
)
