"""The database of a deployment for as long as it is up: given by the operator, or embedded and kept alive."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from steward.settings import Settings
from steward.supervisor.errors import ServerDiedError, UpError
from steward.supervisor.identity import server_account
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.programs import Pause
from steward.supervisor.restarts import Restarts
from steward.supervisor.room import MEBIBYTE, NEEDED, Room, tells_of_no_space
from steward.supervisor.signals import StopSignals

_LINE_SECONDS = 60.0
_TRY_SECONDS = 5.0
# With less room than it needs, a start is unlikely to succeed, but may.
_TRY_WITHOUT_ROOM_SECONDS = 60.0


class DatabaseServer(NamedTuple):
    """`check` is called every second or so, mends what it finds, and returns whether the database is there."""

    url: str
    check: Callable[[], bool]


@contextmanager
def running_database(
    settings: Settings, stop: StopSignals, log: Callable[[str], None]
) -> Iterator[DatabaseServer]:
    if settings.database_url is not None:
        yield DatabaseServer(settings.database_url, lambda: True)
        return
    postgres = EmbeddedPostgres(settings.data_dir, account=server_account(settings), pause=stop.pause)
    keeper = KeepAlive(postgres, log=log, pause=stop.pause)
    try:
        yield DatabaseServer(keeper.start(), keeper.check)
    finally:
        postgres.stop()


class KeepAlive:
    """Starts an embedded server again when it dies, by the same rule as any child.

    One that died for want of room is no reason to give up: that is waited for.
    """

    def __init__(self, postgres: EmbeddedPostgres, *, log: Callable[[str], None], pause: Pause) -> None:
        self._postgres = postgres
        self._log = log
        self._pause = pause
        self._restarts = Restarts("PostgreSQL")
        self._waits_for_room = False
        self._last_line = self._last_try = float("-inf")

    def start(self) -> str:
        """The first start; returns the URL."""
        while True:
            try:
                return self._postgres.start()
            except UpError as error:
                room = self._postgres.room()
                starved = isinstance(error, ServerDiedError) and not room.is_enough
                if not starved and not tells_of_no_space(str(error)):
                    raise
                self._say_waiting(room, time.monotonic())
            self._pause(_TRY_SECONDS)

    def check(self) -> bool:
        if self._postgres.pid() is not None:
            self._postgres.keep_log_small()
            return True
        room, now = self._postgres.room(), time.monotonic()
        if self._waits_for_room or not room.is_enough or tells_of_no_space(self._postgres.last_words()):
            return self._start_with_room(room, now)
        how = self._postgres.ending()
        delay = self._restarts.after_death(now, how)
        self._log(f"PostgreSQL died ({how}); starting it again in {delay:g} s")
        self._pause(delay)
        return self._started()

    def _start_with_room(self, room: Room, now: float) -> bool:
        self._waits_for_room = True
        self._say_waiting(room, now)
        if now - self._last_try < (_TRY_SECONDS if room.is_enough else _TRY_WITHOUT_ROOM_SECONDS):
            return False
        self._last_try = now
        try:
            self._postgres.start()
        except UpError as error:
            # Room was made, and it dies of something else: from here on that counts.
            self._waits_for_room = not room.is_enough or tells_of_no_space(str(error))
            return False
        self._waits_for_room = False
        self._log(f"PostgreSQL runs again, with {self._postgres.room()}")
        return True

    def _say_waiting(self, room: Room, now: float) -> None:
        if now - self._last_line >= _LINE_SECONDS:
            self._last_line = now
            self._log(f"PostgreSQL is down: {room}; it goes on once there are {NEEDED // MEBIBYTE} MiB")

    def _started(self) -> bool:
        try:
            self._postgres.start()
        except UpError as error:
            # The next check finds it dead and counts it.
            self._log(str(error))
            return False
        return True
