"""Reads the feed page by page. Whoever has read everything may wait for more, and holds no connection meanwhile."""

import asyncio
import time

import msgspec

from steward.events.feed import queries, rules
from steward.events.feed.model import BEGINNING, Place
from steward.events.model import EventQuery
from steward.kit.db.cursors import Cursors
from steward.kit.db.pagination import Page
from steward.kit.db.pool import Database
from steward.kit.events.hints import EventHints
from steward.kit.events.patterns import expand
from steward.kit.security.caller import TenantId

NOW = "now"
_LISTING = "event feed"

# Where few types are wanted, so many events are looked through for a page; the next one goes on from there.
_SCANNED_AT_ONCE = 1000
_MAX_SCANS = 5
# Workers write events without a hint, and an event is complete only when all older transactions are over.
_LOOK_AGAIN_SECONDS = 1.0
# Who comes when so many wait already is answered at once.
_MAX_WAITING = 1000


class _Found(msgspec.Struct):
    """`place` is where the reader stands now; `is_all` says that there is nothing more to look at."""

    items: list[str]
    place: Place
    is_all: bool


class FeedReader:
    def __init__(self, hints: EventHints, stopping: asyncio.Event) -> None:
        self._hints = hints
        self._stopping = stopping

    async def page(self, db: Database, cursors: Cursors, tenant: TenantId, query: EventQuery) -> Page:
        """The events after the cursor, at most `limit`; as soon as there is one, or when the wait is over."""
        filters = query.filters()
        place = await _place(db, cursors, tenant, query)
        types = None if query.type is None else expand(query.type)
        until = time.monotonic() + query.wait
        while True:
            found = await _read(db, tenant, place, types, query.limit)
            place, rest = found.place, until - time.monotonic()
            if found.items or rest <= 0 or self._answers_at_once:
                return Page(found.items, cursors.seal(tenant, _LISTING, filters, rules.written(place)))
            if found.is_all:
                await self._hints.wait(tenant, min(rest, _LOOK_AGAIN_SECONDS))

    @property
    def _answers_at_once(self) -> bool:
        return self._stopping.is_set() or self._hints.waiting >= _MAX_WAITING


async def _place(db: Database, cursors: Cursors, tenant: TenantId, query: EventQuery) -> Place:
    if query.after is None:
        return BEGINNING
    if query.after == NOW:
        return await queries.last_complete(db)
    return rules.place_of(cursors.open(tenant, _LISTING, query.filters(), query.after, field="after"))


async def _read(db: Database, tenant: TenantId, place: Place, types: list[str] | None, limit: int) -> _Found:
    """Where all types are wanted, what is read is what is shown."""
    items: list[str] = []
    rows = limit if types is None else _SCANNED_AT_ONCE
    for _ in range(1 if types is None else _MAX_SCANS):
        events = await queries.after(db, tenant, place, types, rows)
        place = rules.cut(events, items, limit) or place
        if events and place != events[-1].place:
            break
        if len(events) < rows:
            return _Found(items, place, is_all=True)
    return _Found(items, place, is_all=False)
