"""State machines as data: a move is a row, and every refusal, button, event and table is made from the rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from steward.kit.domain.problems import Conflict
from steward.kit.domain.wording import with_article
from steward.kit.events.event_types import EventType
from steward.kit.records.context import Context

R = TypeVar("R", bound=msgspec.Struct)
# What a move knows beside the record: `MoveDetails`, or more where a slice's rules need more.
D = TypeVar("D", bound="MoveDetails")

# Every state machine there is, by what it is about.
ALL: dict[str, "Moves[Any, Any]"] = {}


class MoveDetails(msgspec.Struct, frozen=True):
    """When a record is moved, by whom and why."""

    now: int
    by: str | None = None
    reason: str | None = None

    @classmethod
    def of(cls, ctx: Context) -> "MoveDetails":
        """By the caller."""
        return MoveDetails(ctx.now, ctx.who.user)


class Move(msgspec.Struct, Generic[R, D], frozen=True):
    """`verb` takes a record from one of `sources` to `target`, and `event` is published. Without a target the record keeps
    its state.

    A `stamp` such as `approved` is written into the fields `approved_by`, `approved_at` and `approved_reason`, those of them that
    the record has. `then` is what else the move does to the record, which has its new state and stamp already; or it raises a
    Problem. The service makes an `automatic` move itself when its time comes; callers can't ask for it. A caller gives a sentence
    with a move that `needs_reason`.
    """

    verb: str
    sources: tuple[str, ...]
    target: str | None
    event: EventType | None = None
    automatic: bool = False
    needs_reason: bool = False
    stamp: str = ""
    then: Callable[[R, D], R] | None = None


class Moves(Generic[R, D]):
    def __init__(self, noun: str, rows: Sequence[Move[R, D]]) -> None:
        self.noun = noun
        self.rows = tuple(rows)
        self._by_verb = {move.verb: move for move in rows}
        ALL[noun] = self

    def __getitem__(self, verb: str) -> Move[R, D]:
        return self._by_verb[verb]

    def allowed(self, status: str) -> list[Move[R, D]]:
        """What can be asked for in this state."""
        return [move for move in self.rows if status in move.sources and not move.automatic]

    def require(self, record: R, verb: str) -> Move[R, D]:
        """409 that names the state and what can be done in it, where the move isn't allowed."""
        move, status = self._by_verb[verb], _status(record)
        if status not in move.sources:
            raise Conflict(f"{self._one_that_is(status)} can't {verb}; {self._allowed_text(status)}.")
        return move

    def apply(self, record: R, verb: str, details: D) -> R:
        """The record after the move."""
        move = self.require(record, verb)
        moved = record if move.target is None else replace(record, status=move.target)
        if move.stamp:
            told = {"by": details.by, "at": details.now, "reason": details.reason}
            fields = {f"{move.stamp}_{part}": value for part, value in told.items()}
            moved = replace(moved, **{name: value for name, value in fields.items() if hasattr(moved, name)})
        return moved if move.then is None else move.then(moved, details)

    def between(self, status: str, target: str) -> Move[R, D]:
        """The move that leads from one state to another, as a changed status asks for; 409 where there is none."""
        for move in self.rows:
            if status in move.sources and move.target == target:
                return move
        raise Conflict(f"{self._one_that_is(status)} can't become {target}; {self._allowed_text(status)}.")

    def change_events(self, old: R, new: R) -> Iterable[EventType]:
        """The event of the move between two states of a record; none where the state stayed, or the move has none."""
        before, after = _status(old), _status(new)
        if before != after and (event := self.between(before, after).event) is not None:
            yield event

    def _one_that_is(self, status: str) -> str:
        noun = with_article(self.noun)
        return f"{noun[0].upper()}{noun[1:]} that is {status}"

    def _allowed_text(self, status: str) -> str:
        verbs = [move.verb for move in self.allowed(status)]
        return f"allowed from here: {', '.join(verbs) or 'none'}"


def _status(record: msgspec.Struct) -> str:
    status: str = record.status  # type: ignore[attr-defined]
    return status
