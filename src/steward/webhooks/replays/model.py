"""Replays: jobs that queue deliveries of a span of time again."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, field

from steward.events.model import RETENTION_DAYS
from steward.kit.domain.fields import Body, Record, Seconds
from steward.kit.domain.shared_fields import example_of
from steward.webhooks.subscription import Patterns

# As long as the events that are replayed.
KEPT_DAYS = RETENTION_DAYS
MAX_RUNNING = 10


class ReplaySelection(StrEnum):
    FAILED = "failed"
    SKIPPED = "skipped"
    ALL = "all"


class ReplayStatus(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class Replay(Record, frozen=True):
    id: str
    webhook_id: str
    since: Seconds
    until: Seconds
    types: Annotated[list[str] | None, Meta(description="Null for what the webhook is subscribed to.")]
    selection: ReplaySelection = field(name="only")
    status: ReplayStatus
    queued: Annotated[int, Meta(description="Deliveries that were queued so far.")]
    created: Seconds
    updated: Seconds


class NewReplay(Body, frozen=True):
    since: Annotated[Seconds, Meta(description="From events of this second on; at most 30 days back.")]
    until: Annotated[Seconds, Meta(description="Up to events of this second; the present at the latest.")]
    only: Annotated[
        ReplaySelection,
        Meta(
            description="`failed` and `skipped` queue such deliveries again; `all` queues every event that the webhook's "
            "subscription or `types`, and its filter, let through, whether or not it was delivered before."
        ),
    ]
    types: Annotated[
        Patterns | None, Meta(description="Only these event types or groups; all that apply when absent.")
    ] = None


EXAMPLE = example_of(
    Replay,
    id="rpl_00064a1b2c3d4e5f60718293a4b5",
    webhook_id="whk_00064a1b2c3d4e5f60718293a4b5",
    since=1767139200,
    selection=ReplaySelection.SKIPPED,
    status=ReplayStatus.RUNNING,
    queued=500,
    updated=1767225601,
)
