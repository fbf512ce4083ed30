"""What must hold whatever happened: each is a count with a limit, and what broke it."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import Literal

import msgspec

from soak.faults import KINDS
from soak.history import Stored as StoredReadings
from soak.ledger import Ledger
from soak.spans import Span, cut, longest, merged, within, without
from soak.stage import Stage
from soak.stored import Stored

# A machine may be slow, which its first start shows; a service that stands still is something else.
_PATIENCE_SECONDS = 25.0
_STARTS = 3.0
MEBIBYTES = 400
_SHOWN = 5


class Check(msgspec.Struct, frozen=True):
    name: str
    found: float
    limit: float
    evidence: list[str] = []
    # What it adds up to at the end.
    sum: Literal["lost", "twice", ""] = ""

    @property
    def holds(self) -> bool:
        return self.found <= self.limit


def none_of(name: str, evidence: list[str], sum: Literal["lost", "twice", ""] = "") -> Check:
    return Check(name, len(evidence), 0, evidence[:_SHOWN], sum)


def _listed(counts: Mapping[str, int]) -> list[str]:
    return [f"{what}: {count}" for what, count in counts.items()]


def lost(
    ledger: Ledger, stored: Stored, readings: StoredReadings, late: Set[tuple[str, int]] = frozenset()
) -> list[Check]:
    orders = [
        order.title
        for order in ledger.orders.values()
        if (order.id, order.number)
        not in {(one.id, one.number) for one in stored.orders.get(order.title, [])}
    ]
    bookings = [
        one.id
        for one in ledger.bookings.values()
        if (known := stored.bookings.get(one.id)) is None
        or known[:3] != (one.resource, one.start, one.end)
        or (one.cancelled and known[3] != "Cancelled")
    ]
    checks = [
        none_of("work orders lost", orders, "lost"),
        none_of("moves lost", _moves_lost(ledger, stored), "lost"),
        none_of("bookings lost", bookings, "lost"),
    ]
    for way, kept in sorted(ledger.readings.items()):
        missing = [
            f"{asset} at {second}"
            for asset, second in sorted(kept.acknowledged - late)
            if readings.get((asset, second), (None, 0))[0] != kept.sent[asset, second]
        ]
        checks.append(none_of(f"readings by {way} lost", missing, "lost"))
    return checks


def hidden(ledger: Ledger, readings: StoredReadings, shown: StoredReadings) -> Check:
    acknowledged = {key for kept in ledger.readings.values() for key in kept.acknowledged}
    missing = acknowledged & readings.keys() - shown.keys()
    return none_of(
        "readings stored and not shown", [f"{asset} at {second}" for asset, second in sorted(missing)]
    )


def _moves_lost(ledger: Ledger, stored: Stored) -> list[str]:
    """An order may have gone further than was acknowledged, by the move under way at the end."""
    found = []
    for order in ledger.orders.values():
        told = stored.told.get(order.id, Counter())
        changes = told["workorder.status.changed"] + told["workorder.completed"]
        if changes < len(order.states) - 1:
            found.append(f"{order.title}: {changes} events of {order.states}")
        elif changes == len(order.states) - 1:
            status = [one.status for one in stored.orders.get(order.title, []) if one.id == order.id]
            if status != order.states[-1:]:
                found.append(f"{order.title} is {status}, last acknowledged {order.states[-1]}")
    return found


def twice(ledger: Ledger, stored: Stored, readings: StoredReadings) -> list[Check]:
    doubles = [f"{title}: {len(found)}" for title, found in stored.orders.items() if len(found) > 1]
    events = [
        f"{title}: {count} events that it was created"
        for title, found in stored.orders.items()
        for one in found
        if (count := stored.told[one.id]["workorder.created"]) != 1
    ]
    for order in ledger.orders.values():
        told = stored.told.get(order.id, Counter())
        if told["workorder.status.changed"] + told["workorder.completed"] > len(order.states):
            events.append(f"{order.title}: {dict(told)} for {order.states}")
    numbers = sorted(one.number for found in stored.orders.values() for one in found)
    gaps = [f"{a} then {b}" for a, b in pairwise([0, *numbers]) if b != a + 1]
    counted = [f"{key}: {count} times" for key, (_, count) in readings.items() if count != 1]
    return [
        none_of("work orders made twice", doubles, "twice"),
        none_of("answers that contradict earlier ones", ledger.contradictions, "twice"),
        none_of("events twice or missing", events, "twice"),
        none_of("gaps and doubles in numbers", gaps, "twice"),
        none_of("bookings that overlap", _overlaps(stored), "twice"),
        none_of("readings counted twice", counted, "twice"),
    ]


def _overlaps(stored: Stored) -> list[str]:
    by_resource: dict[str, list[tuple[int, int, str]]] = {}
    for id, (resource, start, end, status) in stored.bookings.items():
        if status in {"Confirmed", "CheckedIn"}:
            by_resource.setdefault(resource, []).append((start, end, id))
    return [
        f"{one[2]} and {other[2]}"
        for resource, found in by_resource.items()
        for one, other in pairwise(sorted(found))
        if one[1] + stored.buffers[resource] > other[0]
    ]


def deliveries(stage: Stage, stored: Stored) -> list[Check]:
    missing = [f"{type} {id}" for id, type in stored.events.items() if not stage.receivers.has(id)]
    return [
        none_of("events not delivered", missing, "lost"),
        none_of("deliveries that differ from their events", _listed(stage.receivers.wrong)),
    ]


def feed(before: Sequence[str], after: Sequence[str], readers: Sequence[Sequence[str]]) -> list[Check]:
    """`before` was stored when the readers had their last look, `after` when they were done: none of those that came in
    between may stand in front of what they have seen."""
    missing = [id for seen in readers for id in {*before} - {*seen}]
    twice = [f"{id}: {count} times" for seen in readers for id, count in Counter(seen).items() if count > 1]
    order = [
        f"number {number} is {id}, stored is {stored}"
        for seen in readers
        for number, (id, stored) in enumerate(zip(seen, after, strict=False))
        if id != stored
    ]
    return [
        none_of("events that the feed left out", missing, "lost"),
        none_of("events that the feed told twice", twice, "twice"),
        none_of("events that the feed told in another order", order),
    ]


def unready(stage: Stage) -> list[Span]:
    """From each look that failed to the next that found the service ready."""
    looks = pairwise(sorted(stage.watch.looks))
    return merged(Span(look.at, following.at) for look, following in looks if look.seen != "ready")


def undelivered(stage: Stage) -> list[Span]:
    """The pieces of time in which something waited to be delivered, nothing came, and nothing excused that."""
    end = max((look.at for look in stage.watch.looks), default=0.0)
    told = stage.receivers.told
    waits = [
        Span(order.at, arrived)
        for order in stage.ledger.orders.values()
        if (arrived := told.get((order.id, "workorder.created"), end)) > order.at
    ]
    excused = [one.span for one in stage.happened if KINDS[one.kind].excuses]
    pieces = without(merged(waits), [*excused, *unready(stage)])
    return cut(pieces, stage.receivers.arrivals)


def running(stage: Stage) -> list[Check]:
    excused = [one.span for one in stage.happened if KINDS[one.kind].excuses == "unreadiness"]
    beyond = longest(without(unready(stage), excused))
    silence = longest(undelivered(stage))
    starts = [
        Span(one.span.begin, one.span.end + one.recovery_seconds)
        for one in stage.happened
        if KINDS[one.kind].starts_anew
    ]
    silent = [
        _when(stage, look.at)
        for look in stage.watch.looks
        if look.seen == "silent" and not within(look.at, starts)
    ]
    unanswered = [f"{path} {_when(stage, at)}" for at, path in stage.tally.silent if not within(at, starts)]
    failed = {kind: count for kind, count in stage.tally.answers.items() if kind.startswith("500")}
    peak = max(stage.watch.memory.values(), default=0)
    limit = round(_PATIENCE_SECONDS + _STARTS * stage.start_seconds)
    return [
        *(
            Check(name, round(span.seconds, 1), limit, [_when(stage, span.begin)])
            for name, span in {
                "longest unready beyond a fault, s": beyond,
                "longest silence of deliveries while ready, s": silence,
            }.items()
        ),
        none_of("readiness that answered nothing", silent),
        none_of("requests without an answer", unanswered),
        none_of("requests without a final answer", list((+stage.tally.pending).elements())),
        Check("answers 500", sum(failed.values()), 0, _listed(failed)),
        none_of("unexpected answers", _listed(stage.tally.unexpected)),
        none_of("ends of steward up by itself", stage.up.ended_by_itself),
        Check("longest end after SIGTERM, s", round(stage.up.stop_seconds, 1), limit),
        none_of("tracebacks", tracebacks(stage)),
        Check(
            "largest process, MiB",
            peak,
            MEBIBYTES,
            _listed(stage.watch.memory),
        ),
    ]


def _when(stage: Stage, at: float) -> str:
    """The fault during or after which it was."""
    before = [one for one in stage.happened if one.span.begin <= at]
    return (
        f"{at - before[-1].span.begin:.1f} s after the begin of: {before[-1].kind}"
        if before
        else "before any fault"
    )


def tracebacks(stage: Stage) -> list[str]:
    text = stage.up.log.read_text(encoding="utf-8", errors="replace")
    return [
        line.replace("\\n", " ")[-160:]
        for line in text.splitlines()
        if "Traceback (most recent call last)" in line
    ]
