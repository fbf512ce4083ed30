"""The embedded PostgreSQL: found, initialised, started, adopted and stopped by itself."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from steward.supervisor.account import SystemAccount, unprivileged_account
from steward.supervisor.binaries import programs_for
from steward.supervisor.cluster import (
    DATABASE,
    ROLE,
    Home,
    check_version,
    choose_home,
    create_cluster,
    find_home,
    record_home,
    socket_folder,
)
from steward.supervisor.configuration import CONFIGURATION, PORT
from steward.supervisor.data_dir import Lock
from steward.supervisor.errors import ServerDiedError, UpError
from steward.supervisor.postmaster import (
    forget_dead_server,
    is_postmaster,
    kill_leftovers,
    leftovers,
    postmaster_of,
    wake_stopped,
)
from steward.supervisor.programs import Pause, Programs
from steward.supervisor.restarts import describe_ending
from steward.supervisor.room import Room, fullest, room_of

_SILENCE_SECONDS = 60  # recovery after a crash may take longer, but says so every ten seconds
_POLL_SECONDS = 0.02
_LEFTOVERS_SECONDS = 5.0
# Fast: roll back and go. Immediate: leave the rest to recovery. Then the kernel's word.
_STOP_STEPS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))


class EmbeddedPostgres:
    """One server for one data directory. `pause` is how it waits while starting; raising there abandons it."""

    def __init__(
        self,
        data_dir: Path,
        *,
        account: SystemAccount | None = None,
        configuration: Mapping[str, str] = CONFIGURATION,
        pause: Pause = time.sleep,
    ) -> None:
        self._data_dir = data_dir
        self._account = account  # of a cluster that has yet to be made
        self._configuration = configuration
        self._pause = pause
        self._home: Home | None = None
        self._lock: Lock | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._adopted: int | None = None
        self._said_before = 0
        self._url: str | None = None

    def start(self) -> str:
        """Returns the URL once the server answers. Makes the cluster on first use, adopts a server that still runs."""
        try:
            return self._start()
        except BaseException as error:
            self.stop()
            if isinstance(error, OSError):
                raise UpError(f"the embedded PostgreSQL can't be started: {error}") from error
            raise

    def stop(self) -> None:
        """Also after a start that failed. Nothing of the server runs when this returns."""
        try:
            self._end_server()
        finally:
            self._process = self._adopted = self._url = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    @property
    def url(self) -> str:
        if self._url is None:
            raise UpError("the embedded PostgreSQL is not running")
        return self._url

    def pid(self) -> int | None:
        """The server's process while it is alive."""
        if self._process is not None and self._process.poll() is None:
            return self._process.pid
        if self._adopted is not None and self._home and is_postmaster(self._adopted, self._home.cluster):
            return self._adopted
        return None

    def ending(self) -> str:
        """How the server that is dead died, as far as we can know."""
        code = self._process.poll() if self._process is not None else None
        return "we can't know how" if code is None else describe_ending(code)

    def room(self) -> Room:
        """On the volumes of the cluster, or on that where it shall be."""
        if self._home is not None and self._home.cluster.is_dir():
            return room_of(self._home.cluster)
        return fullest([self._data_dir])

    def last_words(self) -> str:
        """What the server has said since it was launched, as far as its log could take it."""
        return self._home.log.said_since(self._said_before) if self._home is not None else ""

    def keep_log_small(self) -> None:
        if self._home is not None:
            self._home.log.keep_small()

    def _start(self) -> str:
        home = find_home(self._data_dir) or self._make_home()
        self._claim(home)
        check_version(home)
        home.log.keep_small()
        self._said_before = home.log.size()
        self._adopt(home)
        if self.pid() is None:
            self._launch(home)
        self._url = self._await_ready(home, self._said_before)
        return self._url

    def _make_home(self) -> Home:
        home = choose_home(self._data_dir, self._account or unprivileged_account())
        self._claim(home)
        create_cluster(home, self._programs(home))
        # Noted last: a note without a cluster means that someone took the cluster away.
        record_home(self._data_dir, home)
        return home

    def _claim(self, home: Home) -> None:
        # A copied data directory names the same cluster as its original; the directory's lock can't see that.
        if self._lock is None:
            self._lock = Lock(home.folder / "lock", what=f"the database {home.folder}")
        self._home = home

    def _programs(self, home: Home) -> Programs:
        return Programs(programs_for(home.account), home.account, self._pause)

    def _adopt(self, home: Home) -> None:
        """Takes over a server that outlived the Steward that started it."""
        if self.pid() is not None:
            return
        running = postmaster_of(home.cluster)
        self._adopted = running.pid if running else None
        if running and running.is_stopping:
            self._end_server()

    def _launch(self, home: Home) -> None:
        kill_leftovers(home.cluster)
        while leftovers(home.cluster):
            self._pause(_POLL_SECONDS)
        sockets = socket_folder(home)
        forget_dead_server(home.cluster, sockets)
        settings = {**self._configuration, "unix_socket_directories": str(sockets)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        arguments = ["-D", str(home.cluster), *options]
        with home.log.open() as output:
            self._process = self._programs(home).launch("postgres", arguments, output=output)

    def _await_ready(self, home: Home, said_before: int) -> str:
        said, heard_at = said_before, time.monotonic()
        while (socket := self._ready_socket(home)) is None:
            if self.pid() is None:
                raise ServerDiedError(
                    f"PostgreSQL did not start: {home.log.said_since(said_before)} (see {home.log.path})"
                )
            if home.log.size() != said:
                said, heard_at = home.log.size(), time.monotonic()
            if time.monotonic() - heard_at > _SILENCE_SECONDS:
                raise UpError(
                    f"PostgreSQL is still not ready after {_SILENCE_SECONDS} s (see {home.log.path})"
                )
            self._pause(_POLL_SECONDS)
        return _url(socket)

    def _ready_socket(self, home: Home) -> Path | None:
        running = postmaster_of(home.cluster)
        return running.socket_folder if running and running.is_ready and running.pid == self.pid() else None

    def _end_server(self) -> None:
        if self._home is not None and self._signal(signal.SIGCONT):
            wake_stopped(self._home.cluster)
        for how, seconds in _STOP_STEPS:
            if not self._signal(how) or self._ended_within(seconds):
                break
        if self._home is not None and self._lock is not None:
            self._end_leftovers(self._home)

    def _end_leftovers(self, home: Home) -> None:
        """What outlives a server that was killed; a process that is stopped (SIGSTOP) would stay for good."""
        deadline = time.monotonic() + _LEFTOVERS_SECONDS
        kill_leftovers(home.cluster)
        while leftovers(home.cluster) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _signal(self, how: signal.Signals) -> bool:
        pid = self.pid()
        if pid is not None:
            os.kill(pid, how)
        return pid is not None

    def _ended_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.pid() is not None and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return self.pid() is None


def running_url(data_dir: Path) -> str | None:
    """The URL of the server that some Steward runs for this data directory, None when none is ready."""
    try:
        home = find_home(data_dir)
        running = postmaster_of(home.cluster) if home else None
    except (OSError, UpError):
        return None
    return _url(running.socket_folder) if running and running.is_ready and running.socket_folder else None


def _url(socket: Path) -> str:
    # With the port: a PGPORT in the environment would otherwise send the driver to another socket.
    query = urlencode({"host": str(socket), "port": PORT}, quote_via=quote)
    return f"postgresql://{ROLE}@/{DATABASE}?{query}"
