"""A database that answers nothing, and closes nothing either: every wait of ours has an end.

Between the processes and PostgreSQL stands a proxy. In a hole it keeps connections and carries nothing; a stranded connection
carries nothing ever again, as after a failover that nobody told us of.
"""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import httpx
import pytest
from tests.faults.deployment import Deployment
from tests.support.launching import remove_cluster
from tests.support.locks import waiting_backends
from tests.support.organizations import Organization, close_clients
from tests.support.ports import free_port
from tests.support.processes import ApiProcess, StewardProcess
from tests.support.proxy import FaultProxy
from tests.support.waiting import limit, wait_for

from steward.supervisor.cluster import find_location
from steward.supervisor.postmaster import backend_pids, postmaster_of

# The service promises 5, 2 and 10 seconds. A busy machine takes longer, so these limits only have to be shorter than a hang: the
# driver by itself gives up after a minute.
ANSWERED, READY_ANSWERED, RECOVERED = limit(40), limit(30), 60


class Behind:
    """An API process and a worker that reach their database by way of a proxy."""

    def __init__(self, directory: Path, database_url: str) -> None:
        self.database_url = database_url
        self.proxy = FaultProxy.before(database_url)
        url = self.proxy.url(database_url)
        settings = {"STEWARD_SHUTDOWN_SECONDS": "6", "STEWARD_WORKER_STALE_SECONDS": "5"}
        self.worker = StewardProcess(directory / "worker.log", "worker", STEWARD_DATABASE_URL=url, **settings)
        self.api = ApiProcess(directory / "api.log", url, STEWARD_DATABASE_CONNECTIONS="4", **settings)
        self.api.wait_until_live()
        wait_for("readiness", lambda: self.ready().status_code == 200)

    def ready(self) -> httpx.Response:
        return httpx.get(f"{self.api.base_url}/health/ready", timeout=limit(90))

    def stop(self) -> None:
        self.proxy.mode = "refuse"
        self.api.kill()
        self.worker.kill()
        self.proxy.stop()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[Behind]:
    behind = Behind(tmp_path_factory.mktemp("behind"), database_url)
    yield behind
    behind.stop()


@pytest.fixture
def behind(running: Behind) -> Iterator[Behind]:
    running.proxy.mode = "pass"
    wait_for("readiness", lambda: running.ready().status_code == 200)
    yield running
    running.proxy.mode = "pass"
    close_clients()


def timed(call: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
    began = time.monotonic()
    answer = call()
    return answer, time.monotonic() - began


def call_all(organization: Organization, number: int) -> list[tuple[httpx.Response, float]]:
    """Reads and writes at the same moment, more than there are connections."""
    clients = [organization.client(key=organization.secret) for _ in range(number)]

    def one(place: int) -> httpx.Response:
        client = clients[place]
        if place % 2:
            return client.post(f"{organization.path}/work-orders", json={"title": "Leak"})
        return client.get(f"{organization.path}/work-orders")

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(lambda place: timed(lambda: one(place)), range(number)))


def stop_server(data_dir: Path) -> list[int]:
    """Stops PostgreSQL with all of its processes; returns their numbers."""
    location = find_location(data_dir)
    assert location is not None
    server = postmaster_of(location.cluster)
    assert server is not None
    # First the one that would start others.
    os.kill(server.pid, signal.SIGSTOP)
    pids = [server.pid, *backend_pids(location.cluster)]
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    return pids


@contextmanager
def stopped_server(data_dir: Path) -> Iterator[None]:
    pids = stop_server(data_dir)
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def test_without_network_requests_fail_in_time_and_recover(behind: Behind) -> None:
    organization = Organization(behind.api.base_url, behind.database_url, "Enterprise")
    assert {answer.status_code for answer, _ in call_all(organization, 12)} <= {200, 201}
    behind.proxy.mode = "hole"
    with ThreadPoolExecutor(1) as beside:
        health = beside.submit(timed, behind.ready)
        hung = call_all(organization, 12)
        answer, seconds = health.result()
    assert answer.status_code == 503
    assert seconds < READY_ANSWERED
    assert {answer.status_code for answer, _ in hung} == {503}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer, _ in hung)
    assert max(seconds for _, seconds in hung) < ANSWERED
    # Meanwhile also for a caller of whom nothing is remembered any more, and without an end.
    for _ in range(2):
        assert max(seconds for _, seconds in call_all(organization, 12)) < ANSWERED
        answer, seconds = timed(behind.ready)
        assert (answer.status_code, seconds < READY_ANSWERED) == (503, True)
    behind.proxy.mode = "pass"
    wait_for("readiness", lambda: behind.ready().status_code == 200, RECOVERED)
    assert {answer.status_code for answer, _ in call_all(organization, 12)} <= {200, 201}
    assert behind.api.said.count("Traceback") == 0
    assert behind.api.said.count("the database is away") <= 3


def test_dropped_idle_connections_fail_few_requests(behind: Behind) -> None:
    organization = Organization(behind.api.base_url, behind.database_url, "Enterprise")
    assert {answer.status_code for answer, _ in call_all(organization, 12)} <= {200, 201}
    behind.proxy.strand()
    client = organization.client(key=organization.secret)
    answers = [timed(lambda: client.get(f"{organization.path}/work-orders")) for _ in range(8)]
    refused = [seconds for answer, seconds in answers if answer.status_code == 503]
    assert all(answer.status_code in {200, 503} for answer, _ in answers)
    assert len(refused) <= 1
    assert max(refused, default=0) < ANSWERED
    wait_for("readiness", lambda: behind.ready().status_code == 200, RECOVERED)


def test_a_notification_into_a_dead_connection_times_out(behind: Behind) -> None:
    organization = Organization(behind.api.base_url, behind.database_url, "Enterprise")
    key = organization.new_key()
    behind.proxy.mode = "hole"
    answer, seconds = timed(lambda: organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}"))
    assert (answer.status_code, seconds < ANSWERED) == (503, True)
    behind.proxy.mode = "pass"
    # Over a connection that was stranded, the first one is still refused.
    wait_for(
        "the revocation",
        lambda: (
            organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}").status_code in {200, 404}
        ),
        RECOVERED,
    )
    assert organization.client(key=key["secret"]).get(organization.path).status_code == 401


def test_a_stopped_server_keeps_its_data(deployment: Deployment) -> None:
    """By SIGSTOP, over its Unix socket: connections are accepted by the kernel, and nobody answers."""
    organization = deployment.new_organization()

    def ready() -> httpx.Response:
        return httpx.get(f"{deployment.api.base_url}/health/ready", timeout=limit(90))

    wait_for("readiness", lambda: ready().status_code == 200)
    with stopped_server(deployment.directory):
        hung = call_all(organization, 12)
        assert {answer.status_code for answer, _ in hung} == {503}
        assert max(seconds for _, seconds in hung) < ANSWERED
        answer, seconds = timed(ready)
        assert (answer.status_code, seconds < READY_ANSWERED) == (503, True)
    wait_for("readiness", lambda: ready().status_code == 200, RECOVERED)
    assert {answer.status_code for answer, _ in call_all(organization, 12)} <= {200, 201}


async def locked_orders(database_url: str) -> asyncpg.Connection:
    """Until the connection is closed nobody reads or writes a work order."""
    connection = await asyncpg.connect(database_url)
    await connection.execute("BEGIN; LOCK TABLE work_orders IN ACCESS EXCLUSIVE MODE")
    return connection


def test_processes_without_network_stop_in_time(tmp_path: Path, database_url: str) -> None:
    behind = Behind(tmp_path, database_url)
    try:
        organization = Organization(behind.api.base_url, database_url, "Enterprise")
        with ThreadPoolExecutor(1) as beside, asyncio.Runner() as runner:
            # Something in flight, so that draining has something to wait for.
            lock = runner.run(locked_orders(database_url))
            beside.submit(call_all, organization, 6)
            wait_for(
                "requests in flight", lambda: asyncio.run(waiting_backends(database_url, "%work_orders%"))
            )
            behind.proxy.mode = "hole"
            runner.run(lock.close())
            for piece in (behind.api, behind.worker):
                piece.process.terminate()
            assert [piece.process.wait(limit(40)) for piece in (behind.api, behind.worker)] == [0, 0]
        assert "Traceback" not in behind.api.said + behind.worker.said
    finally:
        behind.stop()
        close_clients()


def test_everything_stops_while_postgresql_is_stopped(tmp_path: Path) -> None:
    data_dir, port = tmp_path / "data", free_port()
    settings = {"STEWARD_DATA_DIR": str(data_dir), "STEWARD_SHUTDOWN_SECONDS": "6", "STEWARD_PORT": str(port)}
    steward = StewardProcess(tmp_path / "up.log", "up", **settings)
    try:
        wait_for("readiness", lambda: "Steward is ready" in steward.said, 120)
        with stopped_server(data_dir):
            steward.process.terminate()
            assert steward.process.wait(limit(40)) == 0
        assert "Traceback" not in steward.said
    finally:
        steward.kill()
        remove_cluster(data_dir)
