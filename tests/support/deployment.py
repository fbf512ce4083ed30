"""A deployment that belongs to one test, which can break it: PostgreSQL, a worker and an API process."""

import asyncio
import itertools
import os
import signal
from pathlib import Path

from tests.support.databases import fetch_rows
from tests.support.launching import remove_cluster
from tests.support.processes import ApiProcess, StewardProcess

from steward.supervisor.cluster import find_location
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.postgres_config import POSTGRES_CONFIG
from steward.wiring.schema import migrate


class Deployment:
    def __init__(self, directory: Path, configuration: dict[str, str] | None = None, **settings: str) -> None:
        self.directory = directory
        self._settings = settings
        self._configuration = {**POSTGRES_CONFIG, **(configuration or {})}
        self._numbers = itertools.count(1)
        self.start_postgres()
        asyncio.run(migrate(self.database_url))
        self.worker = self.start_worker()
        self.api = self.start_api()

    @property
    def worker_url(self) -> str:
        return self.database_url

    def start_postgres(self) -> None:
        self.postgres = EmbeddedPostgres(self.directory, configuration=self._configuration)
        self.database_url = self.postgres.start()

    def start_worker(self) -> StewardProcess:
        log = self.directory / f"worker-{next(self._numbers)}.log"
        return StewardProcess(log, "worker", STEWARD_DATABASE_URL=self.worker_url, **self._settings)

    def start_api(self) -> ApiProcess:
        log = self.directory / f"api-{next(self._numbers)}.log"
        process = ApiProcess(log, self.database_url, **self._settings)
        process.wait_until_live()
        return process

    def restart_killed_worker(self) -> None:
        self.worker.kill()
        self.worker = self.start_worker()

    def restart_killed_api(self) -> None:
        self.api.kill()
        self.api = self.start_api()

    def restart_killed_postgres(self) -> None:
        pid, url = self.postgres.pid(), self.database_url
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        self.postgres.stop()
        self.start_postgres()
        assert self.database_url == url

    async def rows(self, statement: str, *args: object) -> list:
        return await fetch_rows(self.database_url, statement, *args)

    def server_log(self) -> str:
        location = find_location(self.directory)
        assert location is not None
        return location.log.path.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        self.api.stop()
        self.worker.stop()
        self.postgres.stop()
        remove_cluster(self.directory)
