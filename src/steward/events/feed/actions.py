"""Reads the feed page by page. A reader at the end may wait for more, without holding a connection."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from steward.events.actions import require_written
from steward.events.feed import queries, rules
from steward.events.feed.model import BEGINNING, FeedPlace
from steward.events.model import EventQuery
from steward.events.rules import wanted_types
from steward.kit.db.cursors import Cursors
from steward.kit.db.listing import Page
from steward.kit.db.pool import Database
from steward.kit.domain.problems import TooManyRequests
from steward.kit.events.hints import EventHints
from steward.kit.security.caller import Caller, Readmit, TenantId

NOW = "now"
LISTING = "event feed"

# Where few types are wanted: how many events one statement scans, and how many statements one page may take.
_LOOKS_AT = 1000
_MAX_LOOKS = 5
# An empty page means that there is nothing more. Scanning continues for this long before it is sent although
# events are left to scan; the next page continues from there.
_SEARCH_SECONDS = 10.0
# Workers write events without a hint, and an event is complete only when all older transactions have ended.
_LOOK_AGAIN_SECONDS = 1.0
# Readers beyond this many waiting ones get an answer at once.
_MAX_WAITING = 1000
# So that one tenant, or one of its keys, doesn't take all of these.
MAX_WAITING_OF_TENANT = 200
MAX_WAITING_OF_CALLER = 50
_RETRY_SECONDS = 5


class FeedReader:
    def __init__(self, hints: EventHints, stopping: asyncio.Event) -> None:
        self._hints = hints
        self._stopping = stopping
        self._waiting: Counter[tuple[str, ...]] = Counter()

    async def page(
        self,
        db: Database,
        cursors: Cursors,
        caller: Caller,
        query: EventQuery,
        readmit: Readmit,
    ) -> Page:
        """The events after the cursor, at most `limit`; as soon as there is one, or when the wait ends."""
        tenant, filters = caller.tenant, query.filters()
        types = wanted_types(caller, query.type)
        await require_written(db, tenant, query.type)
        place = await _place(db, cursors, tenant, query)
        began = time.monotonic()
        with ExitStack() as held:
            waits = False
            while True:
                items, place, is_all = await _read(db, tenant, place, types, query)
                passed = time.monotonic() - began
                if items or not self._goes_on(query.wait, passed, is_all=is_all):
                    return Page(items, cursors.seal(tenant, LISTING, filters, rules.written(place)))
                if is_all:
                    if not waits:
                        held.enter_context(self._place_to_wait(caller))
                        waits = True
                    await self._hints.wait(tenant, min(query.wait - passed, _LOOK_AGAIN_SECONDS))
                # The key may have been revoked meanwhile, or lost some of its permissions.
                types = wanted_types(await readmit(), query.type)

    @contextmanager
    def _place_to_wait(self, caller: Caller) -> Iterator[None]:
        """Held until the request ends, so that it isn't refused in the middle of its wait."""
        places = {
            (caller.tenant,): (MAX_WAITING_OF_TENANT, "an organization"),
            (caller.tenant, caller.subject): (MAX_WAITING_OF_CALLER, "a key"),
        }
        for place, (most, whose) in places.items():
            if self._waiting[place] >= most:
                raise TooManyRequests(
                    f"at most {most} requests of {whose} wait for events at a time.",
                    retry_after=_RETRY_SECONDS,
                )
        self._waiting.update(places.keys())
        try:
            yield
        finally:
            # In this form it also forgets what is down to 0.
            self._waiting -= Counter(places.keys())

    def _goes_on(self, wait: int, passed: float, *, is_all: bool) -> bool:
        """Whether to scan on, through existing events or new ones."""
        if self._stopping.is_set():
            return False
        if not is_all:
            return passed < max(wait, _SEARCH_SECONDS)
        return passed < wait and self._hints.waiting < _MAX_WAITING


async def _place(db: Database, cursors: Cursors, tenant: TenantId, query: EventQuery) -> FeedPlace:
    if query.after is None:
        return BEGINNING
    if query.after == NOW:
        return await queries.horizon(db, tenant)
    return rules.place_of(cursors.open(tenant, LISTING, query.filters(), query.after, field="after"))


async def _read(
    db: Database, tenant: TenantId, place: FeedPlace, types: list[str] | None, query: EventQuery
) -> tuple[list[str], FeedPlace, bool]:
    """The next events, the reader's position after them, and whether there is nothing more to scan."""
    items: list[str] = []
    limit = query.limit
    is_all = False
    for _ in range(_MAX_LOOKS):
        if types is None:
            look = await queries.after(db, tenant, place, limit)
        else:
            room = limit - len(items)
            look = await queries.after_of_types(db, tenant, place, types, looks_at=_LOOKS_AT, limit=room)
        taken = rules.fill(items, look.events, limit, with_actors=bool(query.include))
        if taken < len(look.events) or len(items) == limit:
            return items, look.events[taken - 1].place if taken else place, False
        place, is_all = look.end, look.is_all
        if is_all:
            break
    return items, place, is_all
