from typing import Any

import msgspec
from msgspec.structs import replace

from steward.kit.domain.patch import apply, differing
from steward.kit.domain.problems import Conflict
from steward.kit.domain.shared_fields import new_record
from steward.kit.records.moves import Move, MoveDetails, Moves
from steward.visitors.events import CANCELLED, CHECKED_IN, CHECKED_OUT
from steward.visitors.model import PERSONAL, NewVisitor, Visitor, VisitorChanges, VisitorStatus


def checked_in(visitor: Visitor, _details: MoveDetails) -> Visitor:
    _refuse_erased(visitor)
    return visitor


def _refuse_erased(visitor: Visitor) -> None:
    if visitor.erased_at is not None:
        raise Conflict("This visitor has been erased; register them anew.")


_REGISTERED, _IN, _OUT = VisitorStatus.REGISTERED, VisitorStatus.CHECKED_IN, VisitorStatus.CHECKED_OUT
MOVES: Moves[Visitor, MoveDetails] = Moves(
    "visitor",
    [
        Move("check-in", (_REGISTERED,), _IN, CHECKED_IN, stamp="checked_in", then=checked_in),
        # Also of an erased visitor: a forgotten check-out must not keep them on the evacuation list for ever.
        Move("check-out", (_IN,), _OUT, CHECKED_OUT, stamp="checked_out"),
        Move("cancel", (_REGISTERED,), VisitorStatus.CANCELLED, CANCELLED),
    ],
)


def new_visitor(new: NewVisitor, by: str | None, now: int) -> Visitor:
    return new_record(
        Visitor,
        "vis",
        new,
        now,
        host_id=new.host_id or by,
        expected_arrival=now if new.check_in and new.expected_arrival is None else new.expected_arrival,
        status=VisitorStatus.REGISTERED,
    )


def changed(visitor: Visitor, changes: VisitorChanges) -> Visitor:
    if visitor.status != VisitorStatus.REGISTERED:
        raise Conflict(f"A visitor that is {visitor.status} can't be changed any more.")
    _refuse_erased(visitor)
    return apply(visitor, changes)


def replacement(old: Visitor, new: NewVisitor, by: str | None) -> VisitorChanges:
    """The default host is the same as for a new visitor."""
    return differing(VisitorChanges, old, replace(new, host_id=new.host_id or by))


def check_erasable(visitor: Visitor) -> None:
    """A visitor in the building stays on the evacuation list by name; one who is erased already has no name to keep."""
    if visitor.status == VisitorStatus.CHECKED_IN and visitor.erased_at is None:
        raise Conflict("A visitor that is CheckedIn can't be erased; check them out first.")


# What replaces the personal data of a visitor in events.
BLANKS: dict[str, Any] = {
    field.encode_name: None for field in msgspec.structs.fields(Visitor) if field.name in PERSONAL
} | {"metadata": {}}
