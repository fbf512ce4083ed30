"""Real processes of ours: started like a user would, ended by their own pid."""

import contextlib
import http.client
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from tests.support.ports import free_port
from tests.support.waiting import limit, wait_for
from tests.support.warm_start import ForkedProcess, can_be_forked

from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.postgres_config import POSTGRES_CONFIG

SECRET_KEY = "c3Rld2FyZCBpcyB0ZXN0ZWQgd2l0aCB0aGlzIGtleSE="


def environment(**settings: str) -> dict[str, str]:
    """That of the tests without its STEWARD_*; a setting that is empty is left to its default."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("STEWARD_")}
    ours = {
        "STEWARD_METRICS_ADDRESS": "off",
        "STEWARD_SECRET_KEY": SECRET_KEY,
        # A fast machine makes more requests in a minute than a key may by default.
        "STEWARD_KEY_REQUESTS_PER_MINUTE": "1000000",
        # No load balancer has to notice that a process of ours ends.
        "STEWARD_DRAIN_SECONDS": "0",
        **settings,
    }
    return {**inherited, **{name: value for name, value in ours.items() if value}}


def clock_variables() -> dict[str, str]:
    """What moves the clock of a process where `make test-hunt` does; a database has to go by the same one."""
    return {name: os.environ[name] for name in ("LD_PRELOAD", "HUNT_CLOCK_AHEAD") if name in os.environ}


@contextlib.contextmanager
def temporary_postgres(data_dir: Path, **configuration: str | None) -> Iterator[EmbeddedPostgres]:
    """An embedded server whose cluster goes with it, wherever it was put; set up like ours but for what is said. What is
    None is left to the server, and can be changed while it runs."""
    settings = {**POSTGRES_CONFIG, **configuration}
    server = EmbeddedPostgres(
        data_dir,
        configuration={name: value for name, value in settings.items() if value is not None},
        variables=clock_variables(),
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()
        remove_cluster(data_dir)


def remove_cluster(data_dir: Path) -> None:
    """What lies outside the data directory, where the server's account can't enter that."""
    place = data_dir / "postgres.location"
    if place.exists():
        shutil.rmtree(place.read_text(encoding="utf-8").strip(), ignore_errors=True)


class StewardProcess:
    """One `steward …` process, with what it said."""

    # Every one that a process of ours wrote in this session.
    logs: ClassVar[set[Path]] = set()

    def __init__(self, log: Path, *arguments: str, **settings: str) -> None:
        self.log = log
        self.logs.add(log)
        variables = environment(**settings)
        with log.open("ab") as sink:
            self.process: subprocess.Popen[bytes] | ForkedProcess
            if can_be_forked(arguments, variables):
                self.process = ForkedProcess(arguments, variables, sink, log.parent)
            else:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "steward", *arguments],
                    env=variables,
                    stdout=sink,
                    stderr=sink,
                    cwd=log.parent,
                )

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_until_says(self, text: str, times: int = 1) -> None:
        # Long: a machine that does much else takes minutes for a first start, and a process that ended is noticed at once.
        wait_for(f"{text!r} in {self.log}", lambda: self._said_alive().count(text) >= times, seconds=300)

    def _said_alive(self) -> str:
        assert self.process.poll() is None, self.said
        return self.said

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(limit(60))
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class ApiProcess(StewardProcess):
    def __init__(self, log: Path, database_url: str, **settings: str) -> None:
        port = settings.pop("STEWARD_PORT", None) or free_port()
        self.base_url = f"http://127.0.0.1:{port}"
        super().__init__(
            log,
            "api",
            STEWARD_DATABASE_URL=database_url,
            STEWARD_PORT=str(port),
            # Lets each test come from an address of its own, so that failures are counted apart.
            STEWARD_TRUSTED_PROXIES="127.0.0.1",
            **settings,
        )

    def wait_until_live(self) -> None:
        # Long: a whole session fails with a start that takes longer, and a process that ended is noticed at once.
        wait_for(f"an answer of {self.base_url}", self._live, seconds=120)

    def _live(self) -> bool:
        assert self.process.poll() is None, self.said
        # Asked often, so it has to cost little.
        connection = http.client.HTTPConnection(urlsplit(self.base_url).netloc, timeout=limit(5))
        try:
            connection.request("GET", "/health/live")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
