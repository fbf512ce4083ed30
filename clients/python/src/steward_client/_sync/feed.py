"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Self

from .. import _sio
from .._answers import Page
from .._calls import Call
from .._cursors import join, split
from .._retries import RetryPolicy, jitter
from ..errors import ConnectionFailed, RateLimited, ServiceUnavailable, StewardError
from ..models import Event
from .group import Group
from .transport import Transport

OnOutage = Callable[[StewardError], None]
_ONCE = RetryPolicy(max_retries=0)
_OUTAGE = RetryPolicy(first=0.5, longest=30.0)
_PASSING = (ConnectionFailed, RateLimited, ServiceUnavailable)


class Feed:
    """Events, oldest first. `cursor` is the place behind the event that was handed out last.

    Store it once the event is dealt with, and give it to `follow(after=…)` after a restart. An outage is waited out, for as
    long as it takes; `outages` counts the failed attempts since the last answer.
    """

    def __init__(
        self,
        transport: Transport,
        call: Call,
        *,
        after: str | None,
        wait: int,
        on_outage: OnOutage | None = None,
    ) -> None:
        self._transport = transport
        self._call = call
        self._wait = wait
        self._on_outage = on_outage
        self._behind, self._skip = split(after)
        self._next: str | None = self._behind
        self._events: deque[Event] = deque()
        self._begun = False
        self.cursor = after or ""
        self.outages = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        self.begin()
        while not self._events:
            self._read(self._wait)
        event = self._events.popleft()
        self.cursor = join(self._behind, event.id) if self._events else self._next or ""
        return event

    def begin(self) -> Self:
        """Reads what is there, without waiting: afterwards `cursor` is a place to store, also where it began with `now`.

        Iterating does so, too. Call it to miss nothing of what happens before the first event is handed out.
        """
        if not self._begun:
            self._read(0)
            self._begun = True
        return self

    def _read(self, wait: int) -> None:
        self._behind = self._next
        call = self._call.with_query(wait=str(wait))
        if self._behind is not None:
            call = call.with_query(after=self._behind)
        page = self._page(call, wait)
        events = page.data
        if self._skip is not None:
            # A reader that stopped in the middle of a page resumes after the named event.
            known = [number for number, event in enumerate(events) if event.id == self._skip]
            events = events[known[0] + 1 :] if known else events
            self._skip = None
        self._events.extend(events)
        self._next = page.last_evaluated_key
        if not self._events:
            self._behind = self._next
            self.cursor = self._behind or ""

    def _page(self, call: Call, wait: int) -> Page[Event]:
        while True:
            try:
                page = self._transport.page(call, Event, policy=_ONCE, patience=wait)
            except StewardError as error:
                if not isinstance(error, _PASSING) and error.status != 500:
                    raise
                pause = error.retry_after or _OUTAGE.backoff(self.outages, jitter())
                self.outages += 1
                if self._on_outage is not None:
                    self._on_outage(error)
            else:
                self.outages = 0
                return page
            _sio.sleep(pause)


class Following(Group):
    def follow(
        self,
        *,
        after: str | None = None,
        types: str | Sequence[str] | None = None,
        actors: bool = False,
        wait: int = 25,
        on_outage: OnOutage | None = None,
        organization: str | None = None,
    ) -> Feed:
        """Every change as it happens, without end.

        Args:
            after: A feed's `cursor`; `now` begins with what comes next; None with the
                oldest event that is kept.
            types: Event types, or groups such as `workorder.*`. A cursor belongs to the types that it was made with.
            actors: Whether events have `actor`: who caused them, such as to skip the changes of one's own key.
            wait: How many seconds a request may wait for an event, from 0 to 30.
            on_outage: Called with each failure that is about to be waited out, such as to log it. What it raises ends the feed.
            organization: Another one than the client's.
        """
        if not 0 <= wait <= 30:
            raise ValueError("wait is from 0 to 30 seconds")
        path = "/v2/organizations/{orgId}/events"
        query = {"order": "asc", "limit": 100, "type": types or None, "include": "actor" if actors else None}
        call = self._call("GET", path, organization=organization, query=query)
        return Feed(self._transport, call, after=after, wait=wait, on_outage=on_outage)
