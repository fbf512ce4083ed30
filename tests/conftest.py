"""One embedded PostgreSQL and one running service per test process; every test founds organizations of its own."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import hypothesis
import pytest
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess, Piece, free_port, temporary_postgres
from tests.support.secrets import SECRETS, dump_database, leaks

from steward.wiring.schema import migrate

# How long an example takes is the machine's affair.
hypothesis.settings.register_profile("steward", deadline=None)
hypothesis.settings.load_profile("steward")


class Service:
    """A database with an API process and a worker over it."""

    def __init__(self, directory: Path, database_url: str) -> None:
        self.directory = directory
        self.database_url = database_url
        self._metrics = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        self.worker = Piece(
            directory / "worker.log",
            "worker",
            STEWARD_DATABASE_URL=database_url,
            STEWARD_METRICS_ADDRESS=self._metrics[0],
        )
        self._more: list[ApiProcess] = []
        self.api = ApiProcess(directory / "api.log", database_url, STEWARD_METRICS_ADDRESS=self._metrics[1])
        self.base_url = self.api.base_url
        try:
            self.api.wait_until_live()
        except BaseException:
            self.stop()
            raise

    def another_api(self, **settings: str) -> ApiProcess:
        """A second API process over the same database; ended with the test that asked for it."""
        process = ApiProcess(self.directory / f"api-{len(self._more) + 2}.log", self.database_url, **settings)
        self._more.append(process)
        process.wait_until_live()
        return process

    def metrics(self) -> str:
        """What the API process and the worker show."""
        return "".join(httpx.get(f"http://{address}/metrics").text for address in self._metrics)

    def stop_others(self) -> None:
        while self._more:
            self._more.pop().stop()

    def stop(self) -> None:
        self.stop_others()
        self.api.stop()
        self.worker.stop()


@pytest.fixture(scope="session")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with temporary_postgres(tmp_path_factory.mktemp("postgres")) as server:
        asyncio.run(migrate(server.url))
        yield server.url


@pytest.fixture(scope="session")
def running_service(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("service"), database_url)
    yield service
    try:
        (service.directory / "metrics.txt").write_text(service.metrics(), encoding="utf-8")
    finally:
        service.stop()
    refuse_leaks(service)


def refuse_leaks(service: Service) -> None:
    """Whatever the suite did, no secret that it came to know stands anywhere in clear."""
    dump = service.directory / "database.txt"
    asyncio.run(dump_database(service.database_url, dump))
    metrics = service.directory / "metrics.txt"
    assert leaks(SECRETS, [*Piece.logs, metrics, dump]) == {}


@pytest.fixture
def service(running_service: Service) -> Iterator[Service]:
    yield running_service
    close_clients()
    running_service.stop_others()


@pytest.fixture
def found(service: Service) -> Callable[..., Organization]:
    """Founds an organization on a plan, Enterprise unless told otherwise."""

    def found(plan: str = "Enterprise", **administrator: str) -> Organization:
        return Organization(service.base_url, service.database_url, plan, **administrator)

    return found


@pytest.fixture
def org(found: Callable[..., Organization]) -> Organization:
    return found()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Figures that tests want to be seen also when they pass: what they record as `summary`."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    lines = [
        value
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == "summary"
    ]
    if lines:
        terminalreporter.section("figures")
        for line in lines:
            terminalreporter.write_line(str(line))
