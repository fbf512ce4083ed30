"""Checks at the start whether a pooler before the database can be worked with.

A pooler in session mode changes nothing. In transaction mode it gives every transaction another server process: it has to support prepared
statements, and `LISTEN` doesn't work through it, so that listening connections need the server's own address.
"""

import asyncio
from contextlib import AsyncExitStack

import asyncpg

from steward.kit.db.connection import (
    CONNECT_SECONDS,
    PATIENT_SECONDS,
    ConnectionLostError,
    DatabaseConnection,
    connect,
)
from steward.kit.db.sql import sql
from steward.kit.domain.ids import new_id
from steward.kit.runtime.log import log

_SECONDS = 2
_NOTIFY_SECONDS = 4.0
# Other connections that each hold a server process, so that ours has to be another one.
_MAX_OTHERS = 3

_BACKEND = sql("SELECT pg_backend_pid()")
_NOTIFY = sql("SELECT pg_notify($1, $2)")
# The value after the pooler's DISCARD ALL, which also undoes its connect_query.
_TIMEOUT = sql("SELECT reset_val FROM pg_settings WHERE name = 'statement_timeout'")

NOTIFICATIONS_NOT_RECEIVED = (
    "NOTIFY does not arrive on the LISTEN connection; behind a pooler in transaction mode set "
    "STEWARD_DATABASE_LISTEN_URL to the address of the PostgreSQL server itself, with the same database as STEWARD_DATABASE_URL"
)
PREPARED_STATEMENTS_LOST = (
    "the pooler before the database forgets prepared statements from one transaction to the next; in transaction mode "
    "PgBouncer has to be 1.21 or newer, with max_prepared_statements above 0"
)
# The server's errors behind a pooler without support for prepared statements.
STATEMENT_LOST = (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError)


class NotificationsNotReceived(Exception):  # noqa: N818 (says what happened)
    """NOTIFY doesn't arrive on the LISTEN connection."""


class PoolerError(Exception):
    """The pooler can't be used; the message says why."""


async def require_usable_pooler(url: str, listen_url: str | None = None) -> None:
    """If there is one, or if listening connections have an address of their own."""
    async with AsyncExitStack() as opened:
        try:
            connection = await _open(url, opened, PATIENT_SECONDS)
            if connection.pooled:
                await _require_prepared_statements(url, connection, opened)
            elif listen_url is None:
                return
        except STATEMENT_LOST:
            raise PoolerError(PREPARED_STATEMENTS_LOST) from None
    await _require_notifications(url, listen_url or url)


async def _open(
    url: str, opened: AsyncExitStack, connect_seconds: float = CONNECT_SECONDS
) -> DatabaseConnection:
    connection = await connect(url, seconds=_SECONDS, timeout=connect_seconds, needs_session=False)
    opened.push_async_callback(connection.close)
    return connection


async def _require_prepared_statements(
    url: str, connection: DatabaseConnection, opened: AsyncExitStack
) -> None:
    """Other connections take the server process on which our statement was prepared; then it is run again.

    In session mode the process stays ours. With too few processes nothing can be found out.
    """
    before = await connection.run(_BACKEND)
    for _ in range(_MAX_OTHERS):
        try:
            other = await _open(url, opened)
            await other.begin()
            await other.run(_BACKEND)
            if await connection.run(_BACKEND) != before:
                return
        except (ConnectionLostError, TimeoutError):
            return


async def _require_notifications(url: str, listen_url: str) -> None:
    channel, received = new_id("prc"), asyncio.Event()
    async with AsyncExitStack() as opened:
        listener = await connect(listen_url, seconds=_SECONDS)
        opened.push_async_callback(listener.close)
        await listener.add_listener(channel, lambda *_: received.set())
        notifier = await _open(url, opened)
        await notifier.run(_NOTIFY, channel, "")
        try:
            async with asyncio.timeout(_NOTIFY_SECONDS):
                await received.wait()
        except TimeoutError:
            raise NotificationsNotReceived(NOTIFICATIONS_NOT_RECEIVED) from None
        if notifier.pooled and (await notifier.run(_TIMEOUT))[0][0] == "0":
            log.warning(
                "pooled connections have no statement_timeout; abandoned statements go on running in the server",
                advice="ALTER ROLE … SET statement_timeout = '30s'; see docs/operate",
            )
