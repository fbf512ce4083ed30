"""What goes wrong for an operator, said in one line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import click

from steward.kit.db.connection import DatabaseUrlError
from steward.kit.db.pool import DATABASE_AWAY
from steward.kit.db.pooler import (
    PREPARED_STATEMENTS_LOST,
    STATEMENT_LOST,
    NotificationsNotReceived,
    PoolerError,
)
from steward.kit.db.replicas import ReplicaError
from steward.kit.runtime.metrics_server import MetricsAddressInUseError
from steward.kit.runtime.otlp import OtlpError
from steward.kit.security.encryption import WrongKeyError
from steward.migrations.migrate import MigrationError
from steward.operations.backup.model import BackupError
from steward.supervisor.errors import UpError

_LOGIN_REFUSED = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)
# Of an account that may too little, or of parameters in the URL that the server doesn't know.
_REFUSED = (
    asyncpg.InsufficientPrivilegeError,
    asyncpg.InvalidParameterValueError,
    asyncpg.UndefinedObjectError,
    asyncpg.CantChangeRuntimeParamError,
)


# Their messages are meant for the operator.
_EXPLAINED = (
    UpError,
    MigrationError,
    MetricsAddressInUseError,
    NotificationsNotReceived,
    PoolerError,
    ReplicaError,
    BackupError,
    OtlpError,
)


class OperatorError(click.ClickException):
    """One line for the operator, and a non-zero exit code."""

    def show(self, file: Any = None) -> None:
        # What others said, the database for one, may have several.
        words = " ".join(self.format_message().split())
        click.echo(f"steward: {words}", err=True, file=file)


class DatabaseAwayError(OperatorError):
    """May succeed later without a change: the supervisor keeps restarting a process that ends with this code."""

    exit_code = os.EX_TEMPFAIL


@contextmanager
def operator_errors() -> Iterator[None]:
    """Errors that an operator can fix become one line instead of a traceback."""
    try:
        yield
    except _EXPLAINED as error:
        raise OperatorError(str(error)) from None
    except STATEMENT_LOST:
        raise OperatorError(PREPARED_STATEMENTS_LOST) from None
    except WrongKeyError:
        raise OperatorError(
            "the secret key (STEWARD_SECRET_KEY, or secret.key in the data directory) is not the one "
            "that this database was set up with"
        ) from None
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError) as error:
        raise OperatorError(
            f"the database has not the schema of this version ({error}): run `steward migrate`"
        ) from None
    except DatabaseUrlError as error:
        raise OperatorError(f"the database URL can't be used: {error}") from None
    except _REFUSED as error:
        raise OperatorError(f"the database refuses: {error}") from None
    except _LOGIN_REFUSED as error:
        raise OperatorError(f"the database can't be reached: {error}") from None
    except (*DATABASE_AWAY, TimeoutError) as error:
        # An error of the system that names a file is not the database's.
        if isinstance(error, OSError) and error.filename is not None:
            raise OperatorError(f"{error.filename} can't be used: {error.strerror}") from None
        raise DatabaseAwayError(f"the database can't be reached: {error}") from None
