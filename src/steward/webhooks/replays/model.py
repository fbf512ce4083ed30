"""Replays: jobs that queue deliveries of a span of time again."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import replace

from steward.events.model import RETENTION_DAYS
from steward.kit.db.partitions import DAY_SECONDS, first_id
from steward.kit.domain.fields import Body, Record, Seconds
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict, Invalid
from steward.webhooks.deliveries.model import delivery_id
from steward.webhooks.subscription import Patterns, expand

# As long as the events that are replayed.
KEPT_DAYS = RETENTION_DAYS
MAX_RUNNING = 10

# An event's identifier is made a moment after its time was read; this is more than such a moment can last.
_LATE_SECONDS = 60


class Only(StrEnum):
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
    selection: Only = field(name="only")
    status: ReplayStatus
    queued: Annotated[int, Meta(description="Deliveries that were queued so far.")]
    created: Seconds
    updated: Seconds


class NewReplay(Body, frozen=True):
    since: Annotated[Seconds, Meta(description="From events of this second on; at most 30 days back.")]
    until: Annotated[Seconds, Meta(description="Up to events of this second; the present at the latest.")]
    only: Annotated[
        Only,
        Meta(
            description="`failed` and `skipped` queue such deliveries again; `all` queues every event that the webhook's "
            "subscription or `types`, and its filter, let through, whether or not it was delivered before."
        ),
    ]
    types: Annotated[
        Patterns | None, Meta(description="Only these event types or groups; all that apply when absent.")
    ] = None


def new_replay(webhook_id: str, new: NewReplay, now: int) -> Replay:
    until = min(new.until, now)
    if new.since > until:
        raise Invalid("since", "must not lie after until, nor in the future")
    if new.since < now - KEPT_DAYS * DAY_SECONDS:
        raise Invalid("since", f"lies more than {KEPT_DAYS} days back; older events are not kept")
    return Replay(
        id=new_id("rpl"),
        webhook_id=webhook_id,
        since=new.since,
        until=until,
        types=new.types,
        selection=new.only,
        status=ReplayStatus.RUNNING,
        queued=0,
        created=now,
        updated=now,
    )


def require_room(running: int) -> None:
    if running >= MAX_RUNNING:
        raise Conflict(f"A webhook has at most {MAX_RUNNING} replays running; cancel one or wait.")


def cancelled(replay: Replay) -> Replay:
    """Cancelling again changes nothing; what is done can't be cancelled."""
    if replay.status == ReplayStatus.COMPLETED:
        raise Conflict("A replay that is completed can't be cancelled.")
    return replace(replay, status=ReplayStatus.CANCELLED)


def exact_types(replay: Replay) -> list[str] | None:
    return None if replay.types is None else expand(replay.types)


def event_span(replay: Replay, last_event_id: str | None) -> tuple[str, str]:
    """Identifiers of events between which the rest of the replay lies, both excluded."""
    return last_event_id or first_id("evt", replay.since), first_id("evt", replay.until + _LATE_SECONDS)


def delivery_span(replay: Replay, last_event_id: str | None) -> tuple[str, str]:
    """The same for deliveries, whose identifiers sort like those of their events."""
    start = first_id("dlv", replay.since)
    if last_event_id is not None:
        start = delivery_id(last_event_id, replay.webhook_id)
    return start, first_id("dlv", replay.until + _LATE_SECONDS)


EXAMPLE = Replay(
    id="rpl_00064a1b2c3d4e5f60718293a4b5",
    webhook_id="whk_00064a1b2c3d4e5f60718293a4b5",
    since=1767139200,
    until=1767225600,
    types=None,
    selection=Only.SKIPPED,
    status=ReplayStatus.RUNNING,
    queued=500,
    created=1767225600,
    updated=1767225601,
)
