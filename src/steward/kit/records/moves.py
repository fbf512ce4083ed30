"""State machines as data: a move is a row, and every refusal, button, event and table is made from the rows."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from steward.kit.domain.problems import Conflict
from steward.kit.domain.wording import with_article
from steward.kit.events.event_types import EventType

R = TypeVar("R", bound=msgspec.Struct)

# Every state machine there is, by what it is about.
ALL: dict[str, "Moves"] = {}


class Move(msgspec.Struct, frozen=True):
    """`verb` takes a record from one of `sources` to `target`, and `event` tells of it. Without a target it stays where
    it is.

    An `automatic` move is made by the service itself when its time comes; nobody can ask for it. One that `needs_reason`
    is asked for with a sentence that says why.
    """

    verb: str
    sources: tuple[str, ...]
    target: str | None
    event: EventType | None = None
    automatic: bool = False
    needs_reason: bool = False


class Moves:
    def __init__(self, noun: str, rows: Sequence[Move]) -> None:
        self.noun = noun
        self.rows = tuple(rows)
        self._by_verb = {move.verb: move for move in rows}
        ALL[noun] = self

    def __getitem__(self, verb: str) -> Move:
        return self._by_verb[verb]

    def allowed(self, status: str) -> list[Move]:
        """What can be asked for in this state."""
        return [move for move in self.rows if status in move.sources and not move.automatic]

    def apply(self, record: R, verb: str) -> R:
        """The record after the move; 409 that names the state and what can be done in it."""
        move = self._by_verb[verb]
        status = _status(record)
        if status not in move.sources:
            raise Conflict(f"{self._one_that_is(status)} can't {verb}; {self._allowed_text(status)}.")
        return record if move.target is None else replace(record, status=move.target)

    def between(self, status: str, target: str) -> Move:
        """The move that leads from one state to another, as a changed status asks for; 409 where there is none."""
        for move in self.rows:
            if status in move.sources and move.target == target:
                return move
        raise Conflict(f"{self._one_that_is(status)} can't become {target}; {self._allowed_text(status)}.")

    def change_events(self, old: R, new: R) -> Iterable[EventType]:
        """What tells of the move between two states of a record; nothing where the state stayed, or no event does."""
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
