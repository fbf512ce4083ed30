"""The database of a deployment for as long as it is up: given by the operator, or embedded and kept alive."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from steward.settings import Settings
from steward.supervisor.errors import UpError
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.programs import Pause
from steward.supervisor.restarts import Restarts
from steward.supervisor.signals import StopSignals


class Database(NamedTuple):
    """`check` is called every second or so, and mends what it finds."""

    url: str
    check: Callable[[], None]


@contextmanager
def running_database(settings: Settings, stop: StopSignals, log: Callable[[str], None]) -> Iterator[Database]:
    if settings.database_url is not None:
        yield Database(settings.database_url, lambda: None)
        return
    postgres = EmbeddedPostgres(settings.data_dir, pause=stop.pause)
    try:
        url = postgres.start()
        yield Database(url, KeepAlive(postgres, log=log, pause=stop.pause).check)
    finally:
        postgres.stop()


class KeepAlive:
    """Starts an embedded server again when it dies, by the same rule as any child."""

    def __init__(self, postgres: EmbeddedPostgres, *, log: Callable[[str], None], pause: Pause) -> None:
        self._postgres = postgres
        self._log = log
        self._pause = pause
        self._restarts = Restarts("PostgreSQL")

    def check(self) -> None:
        if self._postgres.pid() is not None:
            self._postgres.keep_log_small()
            return
        how = self._postgres.ending()
        delay = self._restarts.after_death(time.monotonic(), how)
        self._log(f"PostgreSQL died ({how}); starting it again in {delay:g} s")
        self._pause(delay)
        try:
            self._postgres.start()
        except UpError as error:
            # The next check finds it dead and counts it.
            self._log(str(error))
