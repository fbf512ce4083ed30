"""A deployment of our own, to be broken: its PostgreSQL writes down every statement."""

import asyncio
import itertools
import shutil
from contextlib import suppress
from pathlib import Path

from tests.support.databases import fetch
from tests.support.organizations import Organization
from tests.support.processes import ApiProcess, StewardProcess
from tests.support.waiting import wait_for

from steward.kit.domain.problems import Unavailable
from steward.supervisor.cluster import find_location
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.postgres_config import POSTGRES_CONFIG
from steward.wiring.schema import migrate

_numbers = itertools.count(1)
RECORDING = {"log_statement": "all", "log_line_prefix": "%m [%p] %u ", "shared_buffers": "32MB"}


class Deployment:
    """A PostgreSQL, an API process and a worker that no other test uses."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.postgres = EmbeddedPostgres(directory, configuration={**POSTGRES_CONFIG, **RECORDING})
        self.database_url = self.postgres.start()
        # Under a name of its own, so that the log tells its statements from those of requests.
        fetch(self.database_url, "CREATE ROLE worker SUPERUSER LOGIN")
        asyncio.run(migrate(self.database_url))
        self.worker = self.start_worker()
        self.api = self.start_api()

    def start_worker(self) -> StewardProcess:
        log = self.directory / f"worker-{next(_numbers)}.log"
        url = self.database_url.replace("//steward@", "//worker@")
        return StewardProcess(log, "worker", STEWARD_DATABASE_URL=url)

    def start_api(self) -> ApiProcess:
        log = self.directory / f"api-{next(_numbers)}.log"
        process = ApiProcess(log, self.database_url, STEWARD_WORKER_STALE_SECONDS="5")
        process.wait_until_live()
        return process

    def new_organization(self) -> Organization:
        """After a fault, processes take a moment until they confirm changes again; the service says then: ask again."""

        def created() -> Organization | None:
            with suppress(Unavailable):
                return Organization(self.api.base_url, self.database_url, "Enterprise")
            return None

        return wait_for("an organization", created)

    def server_log(self) -> str:
        location = find_location(self.directory)
        assert location is not None
        return location.log.path.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        self.api.stop()
        self.worker.stop()
        self.postgres.stop()
        place = self.directory / "postgres.location"
        if place.exists():
            shutil.rmtree(place.read_text(encoding="utf-8").strip(), ignore_errors=True)
