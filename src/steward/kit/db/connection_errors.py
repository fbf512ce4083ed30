"""Errors of connections, and which errors of the driver mean that the database is away."""

import asyncpg


class DatabaseUrlError(Exception):
    """The driver can't make sense of the URL. What it says may hold parts of a password and is not repeated."""


class ConnectionLostError(OSError):
    """The server went away under a statement."""


class NoAnswerError(ConnectionLostError, TimeoutError):
    """It said nothing at all until the deadline, and a little longer."""


# What is raised when the server is away, going away, full or not the one that may be written to, as opposed to when it
# dislikes a statement.
DATABASE_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresSystemError,
    asyncpg.ReadOnlySQLTransactionError,
)
# Those after which the same connection can be used again.
RECOVERABLE = (asyncpg.QueryCanceledError, asyncpg.InsufficientResourcesError, asyncpg.PostgresSystemError)
