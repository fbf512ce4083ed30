"""Errors of connections, and which errors of the driver mean that the database is away."""

import asyncpg


class DatabaseUrlError(Exception):
    """The driver can't parse the URL. Its message may contain parts of a password and is not repeated."""


class ConnectionLostError(OSError):
    """The connection was lost during a statement."""


class NoAnswerError(ConnectionLostError, TimeoutError):
    """The server didn't answer until the deadline, and a little longer."""


# Errors of a server that is away, stopping, full or read-only, as opposed to errors of a statement.
DATABASE_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresSystemError,
    asyncpg.ReadOnlySQLTransactionError,
)
# Errors after which the connection can be used again.
RECOVERABLE = (asyncpg.QueryCanceledError, asyncpg.InsufficientResourcesError, asyncpg.PostgresSystemError)
