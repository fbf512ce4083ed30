"""The database of a deployment for as long as it is up: given by the operator, or embedded and kept alive."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from steward.settings import Settings
from steward.supervisor.disk_space import MEBIBYTE, NEEDED_BYTES, DiskSpace, reports_no_space
from steward.supervisor.errors import ServerDiedError, UpError
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.postgres_programs import Pause
from steward.supervisor.restarts import RestartBackoff
from steward.supervisor.run_as import database_account, guest_account
from steward.supervisor.signals import StopSignals

_LOG_EVERY_SECONDS = 60.0
_RETRY_SECONDS = 5.0
# With less space than it needs, a start is unlikely to succeed, but may.
_RETRY_WITHOUT_SPACE_SECONDS = 60.0


class DatabaseServer(NamedTuple):
    """`check` runs every second or so, repairs the cluster, and returns whether the database is there. `cluster` is where an
    embedded one lies."""

    url: str
    check: Callable[[], bool]
    cluster: Path | None = None


@contextmanager
def running_database(
    settings: Settings, stop: StopSignals, log: Callable[[str], None]
) -> Iterator[DatabaseServer]:
    if settings.database_url is not None:
        yield DatabaseServer(settings.database_url, lambda: True)
        return
    postgres = EmbeddedPostgres(
        settings.data_dir,
        account=database_account(settings),
        guest=guest_account(settings),
        pause=stop.pause,
    )
    keeper = PostgresKeeper(postgres, log=log, pause=stop.pause)
    try:
        yield DatabaseServer(keeper.start(), keeper.check, postgres.cluster)
    finally:
        postgres.stop()


class PostgresKeeper:
    """Starts an embedded server again when it dies, by the same rule as any child.

    One that died for want of space is no reason to give up: that is waited for.
    """

    def __init__(self, postgres: EmbeddedPostgres, *, log: Callable[[str], None], pause: Pause) -> None:
        self._postgres = postgres
        self._log = log
        self._pause = pause
        self._restarts = RestartBackoff("PostgreSQL")
        self._waits_for_space = False
        self._last_logged = self._last_try = float("-inf")

    def start(self) -> str:
        """The first start; returns the URL."""
        while True:
            try:
                return self._postgres.start()
            except UpError as error:
                space = self._postgres.free_space()
                out_of_space = isinstance(error, ServerDiedError) and not space.is_enough
                if not out_of_space and not reports_no_space(str(error)):
                    raise
                self._log_waiting(space, time.monotonic())
            self._pause(_RETRY_SECONDS)

    def check(self) -> bool:
        if self._postgres.pid() is not None:
            self._postgres.rotate_log()
            return True
        space, now = self._postgres.free_space(), time.monotonic()
        if self._waits_for_space or not space.is_enough or reports_no_space(self._postgres.recent_errors()):
            return self._start_with_space(space, now)
        how = self._postgres.exit_reason()
        delay = self._restarts.delay_after(now, how)
        self._log(f"PostgreSQL died ({how}); starting it again in {delay:g} s")
        self._pause(delay)
        try:
            self._postgres.start()
        except UpError as error:
            # The next check finds it dead and counts it.
            self._log(str(error))
            return False
        return True

    def _start_with_space(self, space: DiskSpace, now: float) -> bool:
        self._waits_for_space = True
        self._log_waiting(space, now)
        if now - self._last_try < (_RETRY_SECONDS if space.is_enough else _RETRY_WITHOUT_SPACE_SECONDS):
            return False
        self._last_try = now
        try:
            self._postgres.start()
        except UpError as error:
            # Room was made, and it dies of something else: from here on that counts.
            self._waits_for_space = not space.is_enough or reports_no_space(str(error))
            return False
        self._waits_for_space = False
        self._log(f"PostgreSQL runs again, with {self._postgres.free_space()}")
        return True

    def _log_waiting(self, space: DiskSpace, now: float) -> None:
        if now - self._last_logged >= _LOG_EVERY_SECONDS:
            self._last_logged = now
            self._log(
                f"PostgreSQL is down: {space}; it goes on once there are {NEEDED_BYTES // MEBIBYTE} MiB"
            )
