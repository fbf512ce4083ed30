"""Kinds of database faults: logged once a minute, and remembered while nothing can be written."""

import time
from collections.abc import Callable

import asyncpg

from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.runtime.log import log

LOG_EVERY_SECONDS = 60.0

_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (asyncpg.DiskFullError, "disk full"),
    (asyncpg.OutOfMemoryError, "out of memory"),
    (asyncpg.TooManyConnectionsError, "too many connections"),
    (asyncpg.InsufficientResourcesError, "out of resources"),
    (asyncpg.ReadOnlySQLTransactionError, "read-only"),
    (asyncpg.PostgresSystemError, "disk error"),
    (asyncpg.QueryCanceledError, "too slow"),
    (TimeoutError, "no answer"),
    (Exception, "away"),
)
# Nothing can be written with these, but perhaps read.
_UNWRITABLE = ("disk full", "disk error", "read-only")


def fault_kind(error: BaseException) -> str:
    """Of the server's error, if it was wrapped by one of ours."""
    is_wrapped = isinstance(error.__cause__, asyncpg.PostgresError) and not isinstance(error, TimeoutError)
    cause = error.__cause__ if is_wrapped else error
    return next((kind for type, kind in _KINDS if isinstance(cause, type)), "away")


class FaultLog:
    """One line a minute for each kind of fault."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._logged_at: dict[tuple[str, str], float] = {}
        self._suppressed: dict[tuple[str, str], int] = {}

    def report(self, event: str, error: BaseException, **fields: object) -> None:
        key = (event, fault_kind(error))
        now = self._now()
        if now - self._logged_at.get(key, -LOG_EVERY_SECONDS) < LOG_EVERY_SECONDS:
            self._suppressed[key] = self._suppressed.get(key, 0) + 1
            return
        self._logged_at[key] = now
        if suppressed := self._suppressed.pop(key, 0):
            fields["suppressed"] = suppressed
        log.error(event, fault=key[1], error=str(error) or type(error).__name__, **fields)


class WriteHealth:
    """Whether the last write succeeded; a fault lasts until the next successful write."""

    def __init__(self) -> None:
        self.fault: str | None = None

    def failed(self, error: BaseException) -> None:
        if isinstance(error, DATABASE_AWAY) and (kind := fault_kind(error)) in _UNWRITABLE:
            self.fault = kind

    def succeeded(self) -> None:
        self.fault = None


# Of this process: its pools share one server.
FAULT_LOG = FaultLog()
WRITE_HEALTH = WriteHealth()
