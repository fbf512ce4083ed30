"""What one open stream has yet to be sent: a bounded state and no queue, so that a slow reader gets the latest."""

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from enum import StrEnum

import msgspec

from steward.kit.events.topics import Topic
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Either, Permission, is_met

HEARTBEAT_SECONDS = 15.0
# Needed to see the values of assets.
_VALUES_PERMISSIONS = frozenset({Permission.ASSETS_READ, Permission.IOT_READ})
# Identifiers that an event names; where there are more, it says that anything may have changed.
MAX_IDS = 50
# Browsers come back after this long, not all of them at once.
_RETRY_MS = (1000, 3000)
_HEARTBEAT = b":\n\n"

_encode = msgspec.json.Encoder().encode


class EndReason(StrEnum):
    """Why a stream ends. Browsers come back after a restart only."""

    RESTART = "restart"
    SESSION = "session"
    TOO_MANY = "too-many"


# Reads the present permissions of each holder that still has access, of all of them in one query.
ReadPermissions = Callable[[TenantId, Iterable[bytes]], Awaitable[dict[bytes, frozenset[Permission]]]]


class StreamRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a stream sends. Limits count by `owner`; `read_permissions` knows the viewer by `holder`."""

    tenant: TenantId
    permissions: frozenset[Permission]
    read_permissions: ReadPermissions
    holder: bytes
    owner: str
    topics: frozenset[str]
    asset_ids: frozenset[str] = frozenset()
    # Unix time from which on the page may show what is no longer true: the stream begins with what happened since.
    since: float | None = None


def frame(event: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (event.encode(), _encode(data))


class LiveStream:
    __slots__ = ("_end", "_first", "_ids", "_news", "_values", "permissions", "request")

    def __init__(self, request: StreamRequest) -> None:
        self.request = request
        self.permissions = request.permissions
        self._news = asyncio.Event()
        self._end: EndReason | None = None
        # Sent before pending changes.
        self._first = b""
        # Changed topics with their records; None means any record.
        self._ids: dict[str, frozenset[str] | None] = {}
        # The newest values of each asset that the page shows, as they are sent.
        self._values: dict[str, bytes] = {}

    @property
    def sees_values(self) -> bool:
        return self.permissions >= _VALUES_PERMISSIONS

    def hears(self, topic: Topic) -> bool:
        return topic.name in self.request.topics and is_met(topic.permission, self.permissions)

    def hears_of_own_only(self, topic: Topic) -> bool:
        need = topic.permission
        return topic.own and isinstance(need, Either) and need.permission not in self.permissions

    def add_topic(self, topic: Topic, ids: frozenset[str] | None) -> None:
        if not self.hears(topic):
            return
        if ids is not None and topic.name in self._ids:
            waiting = self._ids[topic.name]
            ids = None if waiting is None else ids | waiting
        self._ids[topic.name] = None if ids is None or len(ids) > MAX_IDS else ids
        self._news.set()

    def add_values(self, asset_id: str, values: bytes) -> None:
        if self.sees_values:
            self._values[asset_id] = values
            self._news.set()

    def change_permissions(self, permissions: frozenset[Permission]) -> None:
        """Pending changes were filtered by old permissions: drop them and make the page reload its parts."""
        if permissions != self.permissions:
            self.permissions = permissions
            self._ids.clear()
            self._values.clear()
            self._first = frame("reset", {})
            self._news.set()

    def begin(self) -> None:
        """From here on nothing is missed; a page that reconnects fetches all its parts once."""
        self._first = frame("hello", {})
        self._news.set()

    def end(self, reason: EndReason) -> None:
        self._end = reason
        self._news.set()

    async def chunks(self) -> AsyncGenerator[bytes]:
        yield b"retry: %d\n\n" % random.randint(*_RETRY_MS)  # noqa: S311 (spreads, guards nothing)
        while self._end is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._news.wait()
            yield self._take() or _HEARTBEAT
        yield frame("end", {"reason": self._end})

    def _take(self) -> bytes:
        self._news.clear()
        topics = [frame(name, {"ids": ids}) for name, ids in self._ids.items()]
        frames = b"".join([self._first, *topics, *self._values.values()])
        self._first = b""
        self._ids.clear()
        self._values.clear()
        return frames
