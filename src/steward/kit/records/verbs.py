"""Verbs of a slice's `actions.py` that do nothing but apply its rules: made from the table, the rule and the event."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from steward.kit.db.table import Table
from steward.kit.events.event_types import EventType
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import MoveDetails, Moves

R = TypeVar("R", bound=msgspec.Struct)
B = TypeVar("B")


def creating(
    table: Table[R], made: Callable[[B, int], R], event: EventType
) -> Callable[[Context, B], Awaitable[R]]:
    return lambda ctx, new: records.create(ctx, table, made(new, ctx.now), event)


def changing(
    table: Table[R], changed: Callable[[R, B], R], event: EventType
) -> Callable[[Target, B], Awaitable[R]]:
    return lambda ctx, changes: records.change(ctx, table, lambda old: changed(old, changes), event)


def moving(table: Table[R], moves: Moves[R, Any], verb: str) -> Callable[[Target], Awaitable[R]]:
    """A move that needs to know nothing but who makes it, and when."""
    return lambda ctx: records.move(ctx, table, moves, verb, MoveDetails.of(ctx))


def deleting(
    table: Table[R], event: EventType, check_deletable: Callable[[R], object] = lambda _record: None
) -> Callable[[Target], Awaitable[R]]:
    return lambda ctx: records.delete(ctx, table, event, check_deletable=check_deletable)
