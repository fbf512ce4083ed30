"""One database and one running service per test process; every test founds organizations of its own.

The database is one of an embedded PostgreSQL, or of the server that `make test-postgres` was given.
"""

import asyncio
import itertools
import os
import signal
from collections.abc import Callable, Generator, Iterator

import hypothesis
import pytest
from tests.support import summary
from tests.support.launching import temporary_postgres
from tests.support.order import slowest_first
from tests.support.organizations import Organization, close_clients, disconnect
from tests.support.processes import ApiProcess, StewardProcess
from tests.support.secrets import SECRETS, dump_database, leaks
from tests.support.servers import SERVER_VARIABLE, drop_database, make_database, nodes, own_name, set_durable
from tests.support.service import ADDRESS_VARIABLE, DATABASE_VARIABLE, Service, ServiceElsewhere

# How long an example takes is the machine's affair.
hypothesis.settings.register_profile("steward", deadline=None)
hypothesis.settings.load_profile("steward")
_numbers = itertools.count(1)


# A shell ignores both in background jobs, and processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if ADDRESS_VARIABLE in os.environ:
        yield os.environ[DATABASE_VARIABLE]
        return
    if given := os.environ.get(SERVER_VARIABLE):
        yield asyncio.run(make_database(given, own_name("steward"), migrated=True))
        asyncio.run(drop_database(given, own_name("steward")))
        return
    with temporary_postgres(tmp_path_factory.mktemp("postgres"), fsync=None) as server:
        # What a test writes need not survive the machine.
        asyncio.run(set_durable(server.url, durable=False))
        yield asyncio.run(make_database(server.url, own_name("steward"), migrated=True))


@pytest.fixture(scope="session")
def one_server(database_url: str) -> None:
    """For tests that read plans and counts, which a cluster has on each of its nodes."""
    if asyncio.run(nodes(database_url)):
        pytest.skip("the server is a Citus cluster: make test")


@pytest.fixture
def empty_url(database_url: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    name = own_name(f"empty_{next(_numbers)}")
    yield asyncio.run(make_database(database_url, name))
    asyncio.run(drop_database(database_url, name))


@pytest.fixture(scope="session")
def running_service(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[Service]:
    # The connectivity check writes events at its own time, also about devices of a running test; so it runs once, before all tests.
    folder = tmp_path_factory.mktemp("service")
    if ADDRESS_VARIABLE in os.environ:
        service: Service = ServiceElsewhere(folder)
    else:
        service = Service(folder, database_url, STEWARD_CONNECTIVITY_CHECK_SECONDS="3600")
    yield service
    disconnect()
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
    assert leaks(SECRETS, [*StewardProcess.logs, metrics, dump]) == {}


@pytest.fixture
def service(running_service: Service) -> Iterator[Service]:
    yield running_service
    close_clients()
    running_service.stop_others()


@pytest.fixture(scope="session")
def second(running_service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """A second API process over the database of the shared service."""
    process = ApiProcess(tmp_path_factory.mktemp("second") / "api.log", running_service.database_url)
    process.wait_until_live()
    yield process
    process.stop()


@pytest.fixture
def new_organization(service: Service) -> Callable[..., Organization]:
    """Founds an organization on a plan, Enterprise unless told otherwise."""

    def new_organization(plan: str = "Enterprise", **administrator: str) -> Organization:
        return Organization(service.base_url, service.database_url, plan, **administrator)

    return new_organization


@pytest.fixture
def organization(new_organization: Callable[..., Organization]) -> Organization:
    return new_organization()


@pytest.fixture
def other_organization(new_organization: Callable[..., Organization]) -> Organization:
    return new_organization()


@pytest.fixture(scope="module")
def organization_of_the_module(running_service: Service) -> Organization:
    return Organization(running_service.base_url, running_service.database_url, "Enterprise")


@pytest.fixture
def shared_organization(service: Service, organization_of_the_module: Organization) -> Organization:
    """An organization that a module's tables of refusals share: what is refused changes nothing in it."""
    shared = organization_of_the_module
    shared.api = shared.client(key=shared.secret)
    return shared


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = slowest_first(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what the processes of ours said meanwhile."""
    report = yield
    if report.failed:
        report.sections.extend(summary.logs_since(call.start, StewardProcess.logs))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for group in terminalreporter.stats.values() for report in group]
    if lines := summary.figures(reports):
        terminalreporter.section("figures")
        for line in lines:
            terminalreporter.write_line(line)
    marker = str(terminalreporter.config.option.markexpr)
    terminalreporter.write_line(summary.not_run(terminalreporter.stats.get("skipped", []), marker))
