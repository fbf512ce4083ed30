"""For commands that work on the database, beside a running server or without one."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple, TypeVar

import uvloop

from steward.cli.errors import OperatorError, operator_errors
from steward.cli.lifecycle import interrupted_by_requests, uninterrupted
from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.db.connection import PATIENT_SECONDS
from steward.kit.db.pool import Pool
from steward.kit.domain.problems import Problem
from steward.settings import Settings
from steward.supervisor.cluster import find_location
from steward.supervisor.data_dir import lock_data_dir
from steward.supervisor.errors import UpError
from steward.supervisor.postgres import EmbeddedPostgres, running_url
from steward.supervisor.run_as import database_account, guest_account
from steward.wiring.schema import migrate, require_migrated

R = TypeVar("R")


class OpenedDatabase(NamedTuple):
    pool: Pool
    bus: InvalidationBus
    # The address that gives a session, for what needs connections of its own.
    session_url: str


@contextmanager
def opened_database(settings: Settings, *, makes: bool, alone: bool = False) -> Iterator[str]:
    """The database in use; an embedded one that isn't running is started for as long as this takes.

    With `alone` one that another Steward runs is refused. On SIGTERM, too, the block ends in order, so that
    neither a server nor half a file is left behind.
    """
    with interrupted_by_requests(), ExitStack() as stack:
        url = settings.database_url
        if url is None:
            if not makes and find_location(settings.data_dir) is None:
                raise OperatorError(
                    f"there is no database in {settings.data_dir.absolute()}: give --data-dir or --database-url"
                )
            try:
                url = _start_embedded(settings, stack)
            except UpError:
                # The lock says whether a Steward runs it. The server alone doesn't: it outlives a Steward that was killed.
                url = None if alone else running_url(settings.data_dir)
                if url is None:
                    raise
        yield url


def _start_embedded(settings: Settings, stack: ExitStack) -> str:
    account = database_account(settings)
    stack.enter_context(lock_data_dir(settings.data_dir, traversed_by=account))
    server = EmbeddedPostgres(settings.data_dir, account=account, guest=guest_account(settings))
    stack.callback(_stop, server)
    return server.start()


def _stop(server: EmbeddedPostgres) -> None:
    with uninterrupted():
        server.stop()


def with_database(
    settings: Settings, work: Callable[[OpenedDatabase], Awaitable[R]], *, makes: bool = False
) -> R:
    """`makes` says that the database and its schema are made where they aren't there yet."""

    async def main(url: str) -> R:
        listen_url = settings.database_listen_url
        await (migrate if makes else require_migrated)(url, listen_url)
        pool = Pool(url, 2, seconds=60, connect_seconds=PATIENT_SECONDS, needs_session=listen_url is None)
        bus = InvalidationBus(url, pool, listen_url=listen_url)
        await bus.start()
        try:
            return await work(OpenedDatabase(pool, bus, listen_url or url))
        except Problem as problem:
            raise OperatorError(problem.message) from None
        finally:
            await bus.stop()
            await pool.close()

    with operator_errors(), opened_database(settings, makes=makes) as url:
        return uvloop.run(main(url))
