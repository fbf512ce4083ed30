"""Wakes the workers after a commit that queued work for them, over a channel that the slice names whose work it is.

It is only a hint: who sleeps through it finds the work by looking, a little later. It is sent by itself over a connection of
its own, since a NOTIFY within the transaction of a change would let all such transactions commit one after the other.
"""

import asyncio
from collections.abc import Callable

from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.sql import sql

# Hints of the same moment travel together.
_TOGETHER_SECONDS = 0.002
_PAUSE_SECONDS = 0.5
_BEAT_SECONDS = 5.0
_STATEMENT_SECONDS = 2
# PostgreSQL carries 8,000 bytes; more tenants than this at once are sent as "search all".
_MAX_TENANTS = 200

_NOTIFY = sql("SELECT pg_notify($1, $2)")
_STILL_THERE = sql("SELECT 1")

# Which tenants to look at; None stands for all of them.
HintListener = Callable[[frozenset[str] | None], None]


class Notifier:
    """Says which tenants have something to do. Never fails, and never keeps a request waiting."""

    def __init__(self, url: str, channel: str, *, needs_session: bool = True) -> None:
        self._url = url
        self._channel = channel
        self._needs_session = needs_session
        self._tenants: set[str] = set()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def notify(self, organization: str) -> None:
        self._tenants.add(organization)
        self._news.set()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="waker")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            try:
                connection = await connect(
                    self._url, seconds=_STATEMENT_SECONDS, needs_session=self._needs_session
                )
                try:
                    await self._send(connection)
                finally:
                    connection.terminate()
            except Exception as error:  # noqa: BLE001 (whatever it was, the next hint is sent again)
                FAULT_LOG.report("workers are not woken; they look by themselves", error)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _send(self, connection: DatabaseConnection) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(_TOGETHER_SECONDS)
            tenants, self._tenants = self._tenants, set()
            self._news.clear()
            payload = " ".join(tenants) if len(tenants) <= _MAX_TENANTS else ""
            await connection.run(_NOTIFY, self._channel, payload)


async def listen(url: str, channel: str, heard: HintListener) -> None:
    """Until cancelled; after each connection is made, everything may have been missed."""
    while True:
        try:
            connection = await connect(url, seconds=_STATEMENT_SECONDS)
            try:
                await connection.add_listener(channel, lambda *said: heard(_tenants(said[-1])))
                heard(None)
                while True:
                    await asyncio.sleep(_BEAT_SECONDS)
                    await connection.run(_STILL_THERE)
            finally:
                connection.terminate()
        except Exception as error:  # noqa: BLE001 (whatever it was, listening must go on)
            FAULT_LOG.report("hints are not received; work is found by polling", error)
        await asyncio.sleep(_PAUSE_SECONDS)


def _tenants(payload: str) -> frozenset[str] | None:
    return frozenset(payload.split()) or None
