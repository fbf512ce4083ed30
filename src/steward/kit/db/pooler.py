"""Whether what lies between us and the server lets us work: found out by trying, before anything is served.

A pooler in session mode changes nothing. One in transaction mode gives every transaction to another server process: it has to
know the statements that we have prepared, and nobody can listen through it, so that those who do need the server's own address.
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
_HEAR_SECONDS = 4.0
# So many others hold a server process each, until ours has to be another one.
_MAX_OTHERS = 3

_BACKEND = sql("SELECT pg_backend_pid()")
_NOTIFY = sql("SELECT pg_notify($1, $2)")
# What a server process falls back to when the pooler lets it forget everything (DISCARD ALL), which the pooler's connect_query is part of.
_TIMEOUT = sql("SELECT reset_val FROM pg_settings WHERE name = 'statement_timeout'")

NOTIFICATIONS_NOT_RECEIVED = (
    "what is announced in the database is not heard over the listening connection; behind a pooler in transaction mode set "
    "STEWARD_DATABASE_LISTEN_URL to the address of the PostgreSQL server itself, with the same database as STEWARD_DATABASE_URL"
)
PREPARED_STATEMENTS_LOST = (
    "the pooler before the database forgets prepared statements from one transaction to the next; in transaction mode "
    "PgBouncer has to be 1.21 or newer, with max_prepared_statements above 0"
)
# What a pooler that knows nothing of prepared statements lets the server answer.
STATEMENT_LOST = (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError)


class NotificationsNotReceived(Exception):  # noqa: N818 (says what happened)
    """What is announced in the database isn't heard over the listening connection."""


class PoolerError(Exception):
    """The pooler can't be worked with; the message says why."""


async def require_usable_pooler(url: str, listen_url: str | None = None) -> None:
    """Where there is one, or where what listens has an address of its own."""
    async with AsyncExitStack() as opened:
        try:
            connection = await _open(url, opened, PATIENT_SECONDS)
            if connection.pooled:
                await _require_prepared_statements(url, connection, opened)
            elif listen_url is None:
                return
        except STATEMENT_LOST:
            raise PoolerError(PREPARED_STATEMENTS_LOST) from None
    await _require_hearing(url, listen_url or url)


async def _open(
    url: str, opened: AsyncExitStack, connect_seconds: float = CONNECT_SECONDS
) -> DatabaseConnection:
    connection = await connect(url, seconds=_SECONDS, timeout=connect_seconds, needs_session=False)
    opened.push_async_callback(connection.close)
    return connection


async def _require_prepared_statements(
    url: str, connection: DatabaseConnection, opened: AsyncExitStack
) -> None:
    """Others take the server process on which our statement was prepared; then it is run again.

    In session mode it stays ours, and where there are too few processes for that, nothing is found out.
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


async def _require_hearing(url: str, listen_url: str) -> None:
    channel, heard = new_id("prc"), asyncio.Event()
    async with AsyncExitStack() as opened:
        listening = await connect(listen_url, seconds=_SECONDS)
        opened.push_async_callback(listening.close)
        await listening.add_listener(channel, lambda *_: heard.set())
        speaking = await _open(url, opened)
        await speaking.run(_NOTIFY, channel, "")
        try:
            async with asyncio.timeout(_HEAR_SECONDS):
                await heard.wait()
        except TimeoutError:
            raise NotificationsNotReceived(NOTIFICATIONS_NOT_RECEIVED) from None
        if speaking.pooled and (await speaking.run(_TIMEOUT))[0][0] == "0":
            log.warning(
                "pooled connections have no statement_timeout; what is given up here goes on in the server",
                advice="ALTER ROLE … SET statement_timeout = '30s'; see docs/operate",
            )
