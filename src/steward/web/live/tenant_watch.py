"""All streams of one tenant in this process, and the task that reads changes for them."""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice

from steward.alert_rules.alerts.model import TOPIC as ALERTS
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.partitions import first_id
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row
from steward.kit.events.topics import Topic, Topics
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.web.live import queries
from steward.web.live.stream import MAX_IDS, EndReason, LiveStream, ReadPermissions, frame

# Values and alerts write no event, and the worker sends no hints, so the task polls this often.
_TICK_SECONDS = 2.0
# Hints in quick succession cause one query.
_TOGETHER_SECONDS = 0.25
# Expired sessions are noticed after this long; changed permissions are announced and noticed immediately.
_RECHECK_SECONDS = 5.0
# Identifiers are created before their transaction commits, by clocks that differ a little.
_LOOK_BACK_SECONDS = 10
# A change whose event was made before a page was asked for may have been committed after it was read.
_COMMIT_SECONDS = 0.05
# Assets of one tick; where pages show more in all, they take turns.
_MAX_ASSETS = 2000


class TenantWatch:
    def __init__(self, db: Database, tenant: TenantId, topics: Topics) -> None:
        self._db = db
        self._tenant = tenant
        self._topics = topics
        self.streams: dict[LiveStream, None] = {}
        self._hint = asyncio.Event()
        # Whether permissions may have changed; when they were last asked for, and when to look for what has no hint.
        self._unchecked = False
        self._checked_at = time.monotonic()
        self._tick_at = 0.0
        # Changes before this are not sent.
        self._begun = False
        # Events already sent that the next query finds again.
        self._recent: dict[str, queries.NewEvent] = {}
        self._alerts: tuple[object, ...] | None = None
        self._alerts_changed_at = 0.0
        self._watchers: dict[str, set[LiveStream]] = defaultdict(set)
        # For each asset on a page: its last known values, and the event that carried them.
        self._markers: dict[str, int | None] = {}
        self._values: dict[str, bytes] = {}

    def add(self, stream: LiveStream) -> None:
        self.streams[stream] = None
        for asset_id in stream.request.asset_ids:
            self._watchers[asset_id].add(stream)
            self._markers.setdefault(asset_id, None)
            if asset_id in self._values:
                stream.add_values(asset_id, self._values[asset_id])
        if self._begun:
            self._begin(stream)

    def remove(self, stream: LiveStream) -> None:
        self.streams.pop(stream, None)
        for asset_id in stream.request.asset_ids:
            self._watchers[asset_id].discard(stream)
            if not self._watchers[asset_id]:
                del self._watchers[asset_id], self._markers[asset_id]
                self._values.pop(asset_id, None)

    def hint(self) -> None:
        self._hint.set()

    def invalidate(self) -> None:
        """Sends nothing more until permissions have been read again."""
        self._unchecked = True
        self._hint.set()

    async def run(self) -> None:
        """Runs until cancelled, with the last stream or the process."""
        while True:
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001 (whatever it was, the next look finds what this one missed)
                FAULT_LOG.report("live pages get no updates; retrying", error)
            await asyncio.sleep(_TOGETHER_SECONDS)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._tick_at - time.monotonic())):
                    await self._hint.wait()

    async def _look(self) -> None:
        self._hint.clear()
        now = time.monotonic()
        await self._check_access(now)
        await self._look_for_events()
        if now < self._tick_at:
            return
        self._tick_at = now + _TICK_SECONDS
        await self._look_at_alerts()
        if not self._begun:
            self._begun = True
            for stream in self.streams:
                self._begin(stream)
        await self._look_at_values()

    def _begin(self, stream: LiveStream) -> None:
        """Sends the changes between the rendering of a page and the start of its stream, as far as they are known."""
        stream.begin()
        if stream.request.since is None:
            return
        since = stream.request.since - _COMMIT_SECONDS
        missed = [event for id, event in self._recent.items() if id >= first_id("evt", since)]
        self._send_events(missed, [stream])
        if self._alerts_changed_at >= since:
            stream.add_topic(ALERTS, None)

    async def _check_access(self, now: float) -> None:
        if not self._unchecked and now < self._checked_at + _RECHECK_SECONDS:
            return
        self._unchecked = False
        try:
            for read in {stream.request.read_permissions for stream in self.streams}:
                await self._check_streams(read)
        except BaseException:
            self._unchecked = True
            raise
        self._checked_at = now

    async def _check_streams(self, read: ReadPermissions) -> None:
        checked = [stream for stream in self.streams if stream.request.read_permissions is read]
        found = await read(self._tenant, {stream.request.holder for stream in checked})
        for stream in checked:
            permissions = found.get(stream.request.holder)
            if permissions is None:
                stream.end(EndReason.SESSION)
            else:
                stream.change_permissions(permissions)

    async def _look_for_events(self) -> None:
        after = first_id("evt", clock.now_ms() / 1000 - _LOOK_BACK_SECONDS)
        events = await queries.events_after(self._db, self._tenant, after)
        if self._unchecked:
            return
        new = [event for event in events if event.id not in self._recent]
        self._recent = {event.id: event for event in events}
        if self._begun:
            self._send_events(new, self.streams)

    async def _look_at_alerts(self) -> None:
        if not any(stream.hears(ALERTS) for stream in self.streams):
            self._alerts = None
            return
        marker = await queries.alerts_marker(self._db, self._tenant)
        if self._unchecked or marker == self._alerts:
            return
        # What it is at the first look tells nothing of when it became that.
        if self._alerts is not None:
            self._alerts_changed_at = clock.now_ms() / 1000
        self._alerts = marker
        if self._begun:
            for stream in self.streams:
                stream.add_topic(ALERTS, None)

    async def _look_at_values(self) -> None:
        if not self._markers or not any(stream.sees_values for stream in self.streams):
            return
        known = dict(islice(self._markers.items(), _MAX_ASSETS))
        rows = await queries.changed_values(self._db, self._tenant, known)
        if self._unchecked:
            return
        for row in rows:
            if row["id"] in self._markers:
                self._tell_values(row)
        if len(self._markers) > _MAX_ASSETS:
            for asset_id in known.keys() & self._markers.keys():
                self._markers[asset_id] = self._markers.pop(asset_id)

    def _send_events(self, events: Iterable[queries.NewEvent], streams: Iterable[LiveStream]) -> None:
        for topic, found in self._by_topic(events).items():
            everything = _ids(found)
            for stream in streams:
                if not stream.hears_of_own_only(topic):
                    stream.add_topic(topic, everything)
                elif own := [event for event in found if event.owner == stream.request.owner]:
                    stream.add_topic(topic, _ids(own))

    def _by_topic(self, events: Iterable[queries.NewEvent]) -> dict[Topic, list[queries.NewEvent]]:
        found: dict[Topic, list[queries.NewEvent]] = defaultdict(list)
        for event in events:
            if topic := self._topics.of(event.type):
                found[topic].append(event)
        return found

    def _tell_values(self, row: Row) -> None:
        asset_id = row["id"]
        self._markers[asset_id] = row["marker"]
        told = {
            "assetId": asset_id,
            "values": row["last_telemetry"] or {},
            "timestamp": row["last_seen"],
            "status": row["status"],
            "connectionStatus": row["connection_status"],
        }
        self._values[asset_id] = sent = frame("telemetry", told)
        for stream in self._watchers[asset_id]:
            stream.add_values(asset_id, sent)


def _ids(events: Iterable[queries.NewEvent]) -> frozenset[str] | None:
    """The records that these events are about; None where there are too many of them to name."""
    ids = frozenset(event.about for event in events)
    return ids if len(ids) <= MAX_IDS else None
