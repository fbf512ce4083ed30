"""A deployment of our own, to be broken: its PostgreSQL writes down every statement."""

import asyncio
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.conftest import Service
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess, Piece

from steward.supervisor.cluster import find_location
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.postgres_config import POSTGRES_CONFIG
from steward.wiring.schema import migrate

_numbers = itertools.count(1)
RECORDING = {"log_statement": "all", "log_line_prefix": "%m [%p] %u ", "shared_buffers": "32MB"}


async def _fetch(url: str, statement: str, *args: Any) -> list[Any]:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(statement, *args)
    finally:
        await connection.close()


def fetch(url: str, statement: str, *args: Any) -> list[Any]:
    """What the database says, asked over a connection of our own."""
    return asyncio.run(_fetch(url, statement, *args))


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

    def start_worker(self) -> Piece:
        log = self.directory / f"worker-{next(_numbers)}.log"
        url = self.database_url.replace("//steward@", "//worker@")
        return Piece(log, "worker", STEWARD_DATABASE_URL=url)

    def start_api(self) -> ApiProcess:
        log = self.directory / f"api-{next(_numbers)}.log"
        process = ApiProcess(log, self.database_url, STEWARD_WORKER_STALE_SECONDS="5")
        process.wait_until_live()
        return process

    def found(self) -> Organization:
        return Organization(self.api.base_url, self.database_url, "Enterprise")

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


@pytest.fixture(scope="session")
def running_deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    deployment = Deployment(tmp_path_factory.mktemp("deployment"))
    yield deployment
    deployment.stop()


@pytest.fixture
def deployment(running_deployment: Deployment) -> Iterator[Deployment]:
    yield running_deployment
    close_clients()


@pytest.fixture(scope="session")
def second(running_service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """A second API process over the database of the shared service."""
    process = ApiProcess(tmp_path_factory.mktemp("second") / "api.log", running_service.database_url)
    process.wait_until_live()
    yield process
    process.stop()
