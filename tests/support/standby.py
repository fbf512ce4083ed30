"""A streaming replica of a test's server."""

import contextlib
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

from tests.support.launching import clock_variables
from tests.support.waiting import limit, wait_for

from steward.supervisor.binaries import binaries_for
from steward.supervisor.cluster import DATABASE, ROLE, choose_location, find_location, socket_folder
from steward.supervisor.errors import UpError
from steward.supervisor.filesystem import ensure_private_folder
from steward.supervisor.postgres_config import PORT, POSTGRES_CONFIG
from steward.supervisor.postgres_programs import PostgresPrograms


class Standby:
    """Follows the server of `primary_dir`; `stop` and `start` are an outage."""

    def __init__(self, primary_dir: Path, data_dir: Path) -> None:
        primary = find_location(primary_dir)
        assert primary is not None
        data_dir.mkdir(exist_ok=True)
        self._location = choose_location(data_dir, primary.account)
        self._programs = PostgresPrograms(
            binaries_for(primary.account), primary.account, time.sleep, clock_variables()
        )
        ensure_private_folder(self._location.cluster, primary.account)
        source = f"host={socket_folder(primary)} port={PORT} user={ROLE}"
        copy = ["-d", source, "-D", str(self._location.cluster), "--write-recovery-conf", "--checkpoint=fast"]
        self._programs.run("pg_basebackup", [*copy, "--no-sync"])
        self._sockets = socket_folder(self._location)
        query = urlencode({"host": str(self._sockets), "port": PORT}, quote_via=quote)
        self.url = f"postgresql://{ROLE}@/{DATABASE}?{query}"

    def start(self) -> None:
        settings = {
            **POSTGRES_CONFIG,
            "unix_socket_directories": str(self._sockets),
            "shared_buffers": "32MB",
            # What it has to follow comes first, at once.
            "max_standby_streaming_delay": "0",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with self._location.log.open() as output:
            arguments = ["-D", str(self._location.cluster), *options]
            self._process = self._programs.launch("postgres", arguments, output=output)
        wait_for("an answer of the replica", self._answers)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(limit(60))

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._location.folder, ignore_errors=True)

    def _answers(self) -> bool:
        with contextlib.suppress(UpError):
            self._programs.run("pg_isready", ["--host", str(self._sockets), "--port", str(PORT)])
            return True
        return False


@contextlib.contextmanager
def standby_of(primary_dir: Path, data_dir: Path) -> Iterator[Standby]:
    standby = Standby(primary_dir, data_dir)
    standby.start()
    try:
        yield standby
    finally:
        standby.remove()
