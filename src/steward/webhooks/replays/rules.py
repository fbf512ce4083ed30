from msgspec.structs import replace

from steward.kit.db.partitions import DAY_SECONDS, first_id, id_second
from steward.kit.domain.problems import Conflict, Invalid
from steward.kit.domain.shared_fields import new_record
from steward.kit.events.visibility import hidden_types
from steward.webhooks.deliveries.rules import delivery_id
from steward.webhooks.model import StoredWebhook
from steward.webhooks.replays.model import KEPT_DAYS, MAX_RUNNING, NewReplay, Replay, ReplayStatus
from steward.webhooks.rules import maker_permissions
from steward.webhooks.subscription import subscribed_types

# An event's identifier is made a moment after its time was read; this is longer than that moment.
_LATE_SECONDS = 60


def new_replay(webhook: StoredWebhook, new: NewReplay, readable: list[str] | None, now: int) -> Replay:
    """`readable` are the types of `new` that the caller may read."""
    until = min(new.until, now)
    if new.since > until:
        late = new.since > new.until
        raise Invalid("until", "must be later than since") if late else Invalid("since", "lies in the future")
    if new.since < now - KEPT_DAYS * DAY_SECONDS:
        raise Invalid("since", f"lies more than {KEPT_DAYS} days back; older events are not kept")
    return new_record(
        Replay,
        "rpl",
        new,
        now,
        webhook_id=webhook.id,
        until=until,
        types=_replayed_types(webhook, new.types, readable),
        selection=new.only,
        status=ReplayStatus.RUNNING,
        queued=0,
    )


def _replayed_types(
    webhook: StoredWebhook, patterns: list[str] | None, readable: list[str] | None
) -> list[str] | None:
    """As given, if both the caller and the webhook's maker may read all of their types."""
    if patterns is None or readable is None:
        return None
    hidden = hidden_types(readable, maker_permissions(webhook))
    types = [name for name in readable if name not in hidden]
    if hidden and not types:
        raise Invalid("types", f"{', '.join(hidden)} could not be read by the maker of the webhook")
    return patterns if types == subscribed_types(patterns) else types


def require_room(running: int) -> None:
    if running >= MAX_RUNNING:
        raise Conflict(f"A webhook has at most {MAX_RUNNING} replays running; cancel one or wait.")


def cancelled(replay: Replay) -> Replay:
    """Cancelling again changes nothing; a finished replay can't be cancelled."""
    if replay.status == ReplayStatus.COMPLETED:
        raise Conflict("A replay that is completed can't be cancelled.")
    return replace(replay, status=ReplayStatus.CANCELLED)


def exact_types(replay: Replay) -> list[str] | None:
    return None if replay.types is None else subscribed_types(replay.types)


def progress(replay: Replay, last_event_id: str | None) -> int:
    """Its progress through its span of time, in percent: identifiers of events contain their time."""
    if replay.status == ReplayStatus.COMPLETED:
        return 100
    if last_event_id is None or replay.until <= replay.since:
        return 0
    reached = id_second(last_event_id) - replay.since
    return max(0, min(99, reached * 100 // (replay.until - replay.since)))


def event_span(replay: Replay, last_event_id: str | None) -> tuple[str, str]:
    """Identifiers of events between which the rest of the replay lies, both excluded."""
    return last_event_id or first_id("evt", replay.since), first_id("evt", replay.until + _LATE_SECONDS)


def delivery_span(replay: Replay, last_event_id: str | None) -> tuple[str, str]:
    """The same for deliveries, whose identifiers sort like those of their events."""
    start = first_id("dlv", replay.since)
    if last_event_id is not None:
        start = delivery_id(last_event_id, replay.webhook_id)
    return start, first_id("dlv", replay.until + _LATE_SECONDS)
