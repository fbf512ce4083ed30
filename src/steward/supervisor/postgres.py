"""The embedded PostgreSQL: finds, initialises, starts, adopts and stops the server."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from steward.supervisor.binaries import binaries_for
from steward.supervisor.cluster import (
    ClusterLocation,
    check_version,
    choose_location,
    create_cluster,
    find_location,
    record_location,
    socket_folder,
)
from steward.supervisor.data_dir import FileLock
from steward.supervisor.disk_space import DiskSpace, cluster_disk_space, least_free
from steward.supervisor.errors import ServerDiedError, UpError
from steward.supervisor.postgres_config import POSTGRES_CONFIG
from steward.supervisor.postgres_programs import Pause, PostgresPrograms
from steward.supervisor.postmaster import (
    Postmaster,
    backend_pids,
    is_postmaster,
    postmaster_of,
    remove_stale_lock_files,
    signal_backends,
)
from steward.supervisor.restarts import describe_exit
from steward.supervisor.system_account import SystemAccount, unprivileged_account

_SILENT_START_SECONDS = 60  # recovery after a crash may take longer, but logs every ten seconds
_POLL_SECONDS = 0.02
_ORPHANS_SECONDS = 5.0
# PostgreSQL's fast shutdown, its immediate shutdown, then SIGKILL.
_STOP_STEPS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))


class EmbeddedPostgres:
    """One server for one data directory. `pause` is how it waits while starting; raising there abandons it."""

    def __init__(
        self,
        data_dir: Path,
        *,
        account: SystemAccount | None = None,
        guest: SystemAccount | None = None,
        configuration: Mapping[str, str] = POSTGRES_CONFIG,
        pause: Pause = time.sleep,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._data_dir = data_dir
        self._account = account  # of a cluster that is yet to be created
        self._guest = guest  # may connect beside the owner and root
        self._configuration = configuration
        self._pause = pause
        self._variables = variables
        self._location: ClusterLocation | None = None
        self._lock: FileLock | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._adopted: int | None = None
        self._log_offset = 0
        # Of the server, once it has answered.
        self.url = ""

    def start(self) -> str:
        """Returns the URL once the server answers. Creates the cluster on first use, adopts a server that still runs."""
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
            self._process = self._adopted = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def pid(self) -> int | None:
        """The server's process while it is alive."""
        if self._process is not None and self._process.poll() is None:
            return self._process.pid
        if (
            self._adopted is not None
            and self._location
            and is_postmaster(self._adopted, self._location.cluster)
        ):
            return self._adopted
        return None

    def exit_reason(self) -> str:
        """How the dead server ended, if we can know."""
        code = self._process.poll() if self._process is not None else None
        return "we can't know how" if code is None else describe_exit(code)

    @property
    def cluster(self) -> Path | None:
        """The folder of the cluster, once there is one."""
        return None if self._location is None else self._location.cluster

    def free_space(self) -> DiskSpace:
        """On the volumes of the cluster, or on the volume that it will be created on."""
        if self._location is not None and self._location.cluster.is_dir():
            return cluster_disk_space(self._location.cluster)
        return least_free([self._data_dir])

    def recent_errors(self) -> str:
        """The errors in the server's log since it was launched."""
        return self._location.log.errors_since(self._log_offset) if self._location is not None else ""

    def rotate_log(self) -> None:
        if self._location is not None:
            self._location.log.rotate()

    def _start(self) -> str:
        location = find_location(self._data_dir) or self._create_cluster()
        self._take_lock(location)
        check_version(location)
        location.log.rotate()
        self._log_offset = location.log.size()
        self._adopt(location)
        if self.pid() is None:
            self._launch(location)
        self.url = self._await_ready(location)
        return self.url

    def _create_cluster(self) -> ClusterLocation:
        location = choose_location(self._data_dir, self._account or unprivileged_account())
        self._take_lock(location)
        create_cluster(location, self._programs(location))
        # Recorded last: a record without a cluster means that the cluster was removed.
        record_location(self._data_dir, location)
        return location

    def _take_lock(self, location: ClusterLocation) -> None:
        # A copied data directory names the same cluster as its original; the directory's lock can't see that.
        if self._lock is None:
            self._lock = FileLock(location.folder / "lock", what=f"the database {location.folder}")
        self._location = location

    def _programs(self, location: ClusterLocation) -> PostgresPrograms:
        return PostgresPrograms(
            binaries_for(location.account), location.account, self._pause, self._variables
        )

    def _adopt(self, location: ClusterLocation) -> None:
        """Takes over a server that outlived the Steward that started it."""
        if self.pid() is not None:
            return
        running = postmaster_of(location.cluster)
        self._adopted = running.pid if running else None
        if running and (running.status == "stopping" or not self._lets_in_guest(running, location)):
            self._end_server()

    def _lets_in_guest(self, running: Postmaster, location: ClusterLocation) -> bool:
        """A server left behind by a Steward for another account doesn't."""
        if self._guest is None or self._guest.uid == location.account.uid or running.socket_folder is None:
            return True
        return running.socket_folder.stat().st_gid == self._guest.gid

    def _launch(self, location: ClusterLocation) -> None:
        signal_backends(location.cluster, signal.SIGKILL)
        while backend_pids(location.cluster):
            self._pause(_POLL_SECONDS)
        sockets = socket_folder(location, self._guest)
        remove_stale_lock_files(location.cluster, sockets)
        settings = {**self._configuration, "unix_socket_directories": str(sockets)}
        if self._guest is not None:
            # The socket gets the group of the folder.
            settings["unix_socket_permissions"] = "0770"
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        arguments = ["-D", str(location.cluster), *options]
        with location.log.open() as output:
            self._process = self._programs(location).launch("postgres", arguments, output=output)

    def _await_ready(self, location: ClusterLocation) -> str:
        log_size, logged_at = self._log_offset, time.monotonic()
        while (url := self._ready_url(location)) is None:
            if self.pid() is None:
                errors = location.log.errors_since(self._log_offset)
                raise ServerDiedError(f"PostgreSQL did not start: {errors} (see {location.log.path})")
            if location.log.size() != log_size:
                log_size, logged_at = location.log.size(), time.monotonic()
            if time.monotonic() - logged_at > _SILENT_START_SECONDS:
                raise UpError(
                    f"PostgreSQL is still not ready after {_SILENT_START_SECONDS} s (see {location.log.path})"
                )
            self._pause(_POLL_SECONDS)
        return url

    def _ready_url(self, location: ClusterLocation) -> str | None:
        running = postmaster_of(location.cluster)
        return running.url if running and running.pid == self.pid() else None

    def _end_server(self) -> None:
        if self._location is not None and self._send_signal(signal.SIGCONT):
            # One that was stopped (SIGSTOP) gets no other signal until it continues, and its server waits for it.
            signal_backends(self._location.cluster, signal.SIGCONT)
        for how, seconds in _STOP_STEPS:
            if not self._send_signal(how) or self._ended_within(seconds):
                break
        if self._location is not None and self._lock is not None:
            self._kill_orphans(self._location)

    def _kill_orphans(self, location: ClusterLocation) -> None:
        """Kills the processes that outlive a killed server; a stopped one (SIGSTOP) would stay forever."""
        deadline = time.monotonic() + _ORPHANS_SECONDS
        signal_backends(location.cluster, signal.SIGKILL)
        while backend_pids(location.cluster) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _send_signal(self, how: signal.Signals) -> bool:
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
    """The URL of the server that a Steward runs for this data directory; None if none is ready."""
    try:
        location = find_location(data_dir)
        running = postmaster_of(location.cluster) if location else None
    except (OSError, UpError):
        return None
    return running.url if running else None
