"""All open streams of this process, by tenant. Hints of commits wake those of their tenant."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing

from steward.kit.coordination.cache_invalidation import Invalidation
from steward.kit.db.pool import Database
from steward.kit.domain.problems import TooManyRequests, Unavailable
from steward.kit.events.hints import EventHints
from steward.kit.events.topics import Topics
from steward.kit.security.caller import TenantId
from steward.web.live.stream import EndReason, LiveStream, StreamRequest
from steward.web.live.tenant_watch import TenantWatch

# Streams of one person or link; one more ends the oldest.
MAX_PER_OWNER = 20
_RETRY_SECONDS = 10


class LiveHub:
    def __init__(
        self,
        db: Database,
        hints: EventHints,
        topics: Topics,
        *,
        max_streams: int,
        max_per_organization: int,
    ) -> None:
        self._db = db
        self._hints = hints
        self.topics = topics
        self._max_streams = max_streams
        self._max_per_organization = max_per_organization
        self._closed = False
        self._count = 0
        self._watches: dict[str, TenantWatch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # The oldest first.
        self._by_owner: dict[tuple[TenantId, str], list[LiveStream]] = defaultdict(list)
        self._listens = False

    def subscribe(self, request: StreamRequest) -> AsyncGenerator[bytes]:
        """The chunks of a new stream. Raises a Problem if there are too many streams."""
        if not self._closed:
            self._require_room(request)
        return self._chunks(LiveStream(request))

    def _require_room(self, request: StreamRequest) -> None:
        watch = self._watches.get(request.tenant)
        # A person at their own limit loses the oldest stream instead.
        replaces = len(self._by_owner.get((request.tenant, request.owner), ())) >= MAX_PER_OWNER
        if watch is not None and len(watch.streams) >= self._max_per_organization and not replaces:
            raise TooManyRequests(
                f"your organization has {self._max_per_organization} pages open that follow changes.",
                retry_after=_RETRY_SECONDS,
            )
        if self._count >= self._max_streams:
            raise Unavailable("Too many pages are open at the moment.", retry_after=_RETRY_SECONDS)

    async def _chunks(self, stream: LiveStream) -> AsyncGenerator[bytes]:
        """Lives as long as the response."""
        self._open(stream)
        try:
            async with aclosing(stream.chunks()) as chunks:
                async for data in chunks:
                    yield data
        finally:
            self._close(stream)

    def _open(self, stream: LiveStream) -> None:
        self._count += 1
        if self._closed:
            stream.end(EndReason.RESTART)
            return
        request = stream.request
        same_owner = self._by_owner[request.tenant, request.owner]
        if len(same_owner) >= MAX_PER_OWNER:
            same_owner.pop(0).end(EndReason.TOO_MANY)
        same_owner.append(stream)
        if not self._listens:
            self._listens = True
            self._hints.add_listener(self.hint)
        watch = self._watches.get(request.tenant)
        if watch is None:
            watch = self._watches[request.tenant] = TenantWatch(self._db, request.tenant, self.topics)
            self._tasks[request.tenant] = asyncio.create_task(watch.run(), name="live watch")
        watch.add(stream)

    def _close(self, stream: LiveStream) -> None:
        self._count -= 1
        request = stream.request
        same_owner = self._by_owner.get((request.tenant, request.owner), [])
        if stream in same_owner:
            same_owner.remove(stream)
        if not same_owner:
            self._by_owner.pop((request.tenant, request.owner), None)
        watch = self._watches.get(request.tenant)
        if watch is not None and stream in watch.streams:
            watch.remove(stream)
            if not watch.streams:
                del self._watches[request.tenant]
                self._tasks.pop(request.tenant).cancel()

    def hint(self, tenants: frozenset[str] | None) -> None:
        """Something may have changed in these tenants; None: in any."""
        for tenant in self._watches if tenants is None else tenants & self._watches.keys():
            self._watches[tenant].hint()

    # The bus of invalidations calls these.

    async def reset(self, _database: Database) -> None:
        for watch in self._watches.values():
            watch.invalidate()

    def invalidate(self, invalidation: Invalidation) -> None:
        if (watch := self._watches.get(invalidation.organization)) is not None:
            watch.invalidate()

    async def run(self, stopping: asyncio.Event) -> None:
        """When the process stops, streams end immediately instead of delaying it."""
        await stopping.wait()
        self._closed = True
        for watch in self._watches.values():
            for stream in watch.streams:
                stream.end(EndReason.RESTART)

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
