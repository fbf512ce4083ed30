"""State machines as data: a move is a row, and every refusal, button and table is made from the rows."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from steward.kit.domain.problems import Conflict
from steward.kit.events.event_types import EventType

R = TypeVar("R", bound=msgspec.Struct)


class Move(msgspec.Struct, frozen=True):
    """`verb` takes a record from one of `sources` to `target`, and `event` tells of it."""

    verb: str
    sources: tuple[str, ...]
    target: str
    event: EventType | None = None


class Moves:
    def __init__(self, noun: str, rows: Sequence[Move]) -> None:
        self.noun = noun
        self.rows = tuple(rows)
        self._by_verb = {move.verb: move for move in rows}

    def __getitem__(self, verb: str) -> Move:
        return self._by_verb[verb]

    def allowed(self, status: str) -> list[str]:
        return [move.verb for move in self.rows if status in move.sources]

    def apply(self, record: R, verb: str) -> R:
        """The record after the move; 409 that names the state and what can be done in it."""
        move = self._by_verb[verb]
        status: str = record.status  # type: ignore[attr-defined]
        if status not in move.sources:
            allowed = ", ".join(self.allowed(status)) or "none"
            raise Conflict(f"A {self.noun} that is {status} can't {verb}; allowed from here: {allowed}.")
        return replace(record, status=move.target)

    def leading(self, status: str, target: str) -> Move:
        """The move that a changed status asks for."""
        for move in self.rows:
            if status in move.sources and move.target == target:
                return move
        allowed = ", ".join(self.allowed(status)) or "none"
        raise Conflict(f"A {self.noun} that is {status} can't become {target}; allowed from here: {allowed}.")
