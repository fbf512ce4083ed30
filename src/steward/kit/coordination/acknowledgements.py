"""Waits until every process that may have cached what changed has acknowledged the invalidation."""

import asyncio
import contextlib
import time
import weakref

from steward.kit.coordination import processes
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Unavailable

_LOOK_AGAIN_SECONDS = 0.5


class Acknowledgements:
    """`lease_seconds` is how long a process trusts its caches without renewing, `wait_seconds` how long a change waits at most."""

    def __init__(self, database: Database, *, lease_seconds: float, wait_seconds: float) -> None:
        self._database = database
        self._lease_seconds = lease_seconds
        self._wait_seconds = wait_seconds
        self._by_token: dict[str, set[str]] = {}
        self._arrived = asyncio.Event()

    def await_after_commit(self, transaction: Transaction, token: str) -> None:
        self._by_token[token] = set()
        # After a rollback no wait removes the entry; the finalizer does.
        weakref.finalize(transaction, self._by_token.pop, token, None)
        transaction.after_commit(lambda: self._wait(token))

    def add(self, token: str, process: str) -> None:
        if token in self._by_token:
            self._by_token[token].add(process)
            self._arrived.set()

    async def _wait(self, token: str) -> None:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._wait_for_all(token)
        except TimeoutError:
            error = TimeoutError("a process holds its lease and does not answer")
            FAULT_LOG.report("invalidation not acknowledged", error)
            raise Unavailable("The change is stored, but not yet known everywhere; ask again.") from None
        finally:
            del self._by_token[token]

    async def _wait_for_all(self, token: str) -> None:
        # A process that takes a lease from now on starts with empty caches.
        first = await processes.leases(self._database)
        began, waiting = time.monotonic(), set(first)
        while waiting:
            held = await processes.leases(self._database)
            waiting = (waiting & held.keys()) - self._by_token[token]
            if time.monotonic() - began > self._lease_seconds:
                waiting -= await processes.end_leases(
                    self._database, {id: held[id] for id in waiting if held[id] == first[id]}
                )
            if waiting:
                # Each acknowledgement wakes us; otherwise check again which of the others still hold a lease.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_AGAIN_SECONDS):
                        await self._wait_for_some(token, waiting)

    async def _wait_for_some(self, token: str, waiting: set[str]) -> None:
        while not waiting <= self._by_token[token]:
            self._arrived.clear()
            await self._arrived.wait()
