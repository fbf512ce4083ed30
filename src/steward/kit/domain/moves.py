"""State machines as data: a move is a row, and every refusal, button, event and table is made from the rows."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from steward.kit.domain.problems import Conflict
from steward.kit.events.event_types import EventType

R = TypeVar("R", bound=msgspec.Struct)

# Every state machine there is, by what it is about.
ALL: dict[str, "Moves"] = {}


class Move(msgspec.Struct, frozen=True):
    """`verb` takes a record from one of `sources` to `target`, and `event` tells of it.

    An `automatic` move is made by the service itself when its time comes; nobody can ask for it.
    """

    verb: str
    sources: tuple[str, ...]
    target: str
    event: EventType | None = None
    automatic: bool = False


class Moves:
    def __init__(self, noun: str, rows: Sequence[Move]) -> None:
        self.noun = noun
        self.rows = tuple(rows)
        self._by_verb = {move.verb: move for move in rows}
        ALL[noun] = self

    def __getitem__(self, verb: str) -> Move:
        return self._by_verb[verb]

    def allowed(self, status: str) -> list[str]:
        """What can be asked for in this state."""
        return [move.verb for move in self.rows if status in move.sources and not move.automatic]

    def apply(self, record: R, verb: str) -> R:
        """The record after the move; 409 that names the state and what can be done in it."""
        move = self._by_verb[verb]
        status: str = record.status  # type: ignore[attr-defined]
        if status not in move.sources:
            raise Conflict(f"A {self.noun} that is {status} can't {verb}; {self._allowed_text(status)}.")
        return replace(record, status=move.target)

    def between(self, status: str, target: str) -> Move:
        """The move that leads from one state to another, as a changed status asks for; 409 where there is none."""
        for move in self.rows:
            if status in move.sources and move.target == target:
                return move
        raise Conflict(f"A {self.noun} that is {status} can't become {target}; {self._allowed_text(status)}.")

    def event_of(self, old: str, new: str) -> EventType | None:
        """What tells of a change from one state to another; None where the state stayed, or nothing does."""
        return None if old == new else self.between(old, new).event

    def _allowed_text(self, status: str) -> str:
        return f"allowed from here: {', '.join(self.allowed(status)) or 'none'}"
