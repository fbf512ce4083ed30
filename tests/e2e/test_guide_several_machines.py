"""docs/operate/several-machines.md and docs/operate/pgbouncer.md, followed with Debian's PostgreSQL 15: two API processes and two workers behind a
proxy pass the end-to-end suite, without a pooler and with one, and are restarted under load without a failed request."""

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.e2e.test_events import Receiver
from tests.support.answers import data_of
from tests.support.frontends import FRONTENDS
from tests.support.machine import Machine, blocks_for
from tests.support.organizations import Organization, close_clients
from tests.support.pgbouncer import PGBOUNCER, require_pgbouncer
from tests.support.ports import claim
from tests.support.service import ADDRESS_VARIABLE, DATABASE_VARIABLE
from tests.support.waiting import limit, wait_for

from steward.webhooks import verify

pytestmark = pytest.mark.long

HERE = "e2e/test_guide_several_machines.py"
ROOT = Path(__file__).parents[2]
POSTGRES = Path("/usr/lib/postgresql/15/bin")
# What can be asked of any service, wherever it runs: whole days of work, generated clients, the feed and its order, and records through the
# API and the web app.
SUITE = (
    "tests/e2e/test_erp_sync.py",
    "tests/e2e/test_front_desk_day.py",
    "tests/e2e/test_generated_clients.py",
    "tests/events/test_feed.py",
    "tests/work_orders/test_api.py",
    "tests/work_orders/test_moves.py",
    "tests/bookings/test_bookings.py",
    "tests/visitors/test_api.py",
    "tests/web/test_work_orders.py",
)
# These make databases of their own, which the guide's role may not.
LEFT_OUT = (
    "tests/events/test_feed.py::test_events_after_the_last_saved_position_count_too",
    "tests/events/test_feed.py::test_a_restored_database_continues_after_its_last_event",
)
# Where the units have workers show their figures.
_WORKER_METRICS = (19101, 19102)


class Deployment:
    """Everything that the guide sets up, on one machine."""

    def __init__(self) -> None:
        self.ports = _free_ports(4)
        # Another run of this test on the same machine has them until it ends.
        wait_for("the ports of the workers", lambda: all(map(claim, _WORKER_METRICS)))
        database, pooler, *self.apis = self.ports
        # Longer ones first: the network begins like an address in it.
        replaced = {
            "10.0.0.0/24": "127.0.0.1/32",
            "10.0.0.5:5432": f"127.0.0.1:{database}",
            "port=5432": f"port={database}",
            "0.0.0.0": "127.0.0.1",
            **dict.fromkeys(("10.0.0.2", "10.0.0.5", "10.0.0.11", "10.0.0.12"), "127.0.0.1"),
            "6432": str(pooler),
            "8000": str(self.apis[0]),
            "8001": str(self.apis[1]),
        }
        replaced = dict(sorted(replaced.items(), key=lambda pair: -len(pair[0])))
        # A key may make as many requests as the load wants, and receivers are on this machine.
        self.machine = Machine(
            replaced,
            STEWARD_KEY_REQUESTS_PER_MINUTE="1000000",
            STEWARD_CONNECTIVITY_CHECK_SECONDS="3600",
            STEWARD_WEBHOOK_ALLOW_LOCAL="on",
        )
        self.database_url = f"postgresql://steward:change-me@127.0.0.1:{database}/steward"
        self.pooler_url = f"postgresql://steward:change-me@127.0.0.1:{pooler}/steward"

    def follow(self, block: str) -> str:
        """Where `psql` finds the server as it does on a machine that has but one."""
        return self.machine.follow(block, PGHOST=str(self._socket), PGPORT=str(self.ports[0]))

    def follow_the_guide(self) -> None:
        self._install_packages()
        *blocks, self.restarting = blocks_for("docs/operate/several-machines.md", HERE)
        for block in blocks:
            said = self.follow(block)
        assert "API key" in said, "the last step founds an organization"

    @property
    def _socket(self) -> Path:
        return self.machine.root / "socket"

    def _install_packages(self) -> None:
        """What `apt-get install postgresql pgbouncer` does, with data of our own."""
        root = self.machine.root
        settings = root / "etc/postgresql/15/main"
        settings.mkdir(parents=True)
        for folder in (self._socket, root / "var/lib/postgresql"):
            folder.mkdir()
            shutil.chown(folder, "postgres", "postgres")
        data = root / "var/lib/postgresql/15"
        as_postgres = "setpriv --reuid=postgres --regid=postgres --clear-groups"
        self.machine.follow(f"{as_postgres} {POSTGRES}/initdb -D {data} --auth-local=peer --auth-host=reject")
        (settings / "pg_hba.conf").write_text("local all postgres peer\n", encoding="utf-8")
        (settings / "pg_hba.conf").chmod(0o644)
        options = f"-F -p {self.ports[0]} -c unix_socket_directories={self._socket} -c hba_file={settings}/pg_hba.conf"
        self.machine.add_unit(
            "postgresql",
            f"ExecStart={as_postgres} {POSTGRES}/postgres -D {data} {options}",
            f"ExecStartPost={_until_ready(str(self._socket), self.ports[0])}",
            "KillSignal=SIGINT",
        )
        self.machine.add_unit(
            "pgbouncer",
            f"ExecStart={PGBOUNCER} -u postgres {root}/etc/pgbouncer/pgbouncer.ini",
            f"ExecStartPost={_until_ready('127.0.0.1', self.ports[1])}",
            # At once: at the other signals newer ones wait for their clients.
            "KillSignal=SIGQUIT",
        )
        self.machine.follow("systemctl start postgresql")

    def change_database(self, **settings: str) -> None:
        """And start everything anew."""
        self.machine.change_settings(**settings)
        self.machine.follow(self.restarting)

    @property
    def addresses(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self.apis]


def _free_ports(count: int) -> list[int]:
    """Of four digits, as those of the guide: the units make others of them."""
    found = set[int]()
    while len(found) < count:
        port = random.randrange(2000, 10_000)
        if port not in found and claim(port) and claim(10_000 + port):
            found.add(port)
    return sorted(found)


def _until_ready(host: str, port: int) -> str:
    return f"sh -c 'until {POSTGRES}/pg_isready -q -h {host} -p {port}; do sleep 0.1; done'"


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    if not (POSTGRES / "postgres").exists():
        pytest.skip("PostgreSQL 15 is not installed: make server")
    if os.geteuid() != 0:
        pytest.skip("only root can: sudo make test-long")
    made = Deployment()
    with made.machine:
        made.follow_the_guide()
        yield made
        close_clients()


@pytest.fixture(params=["direct", "session", "transaction"])
def way(request: pytest.FixtureRequest, deployment: Deployment) -> Iterator[str]:
    """How the processes get to the database."""
    if request.param == "direct":
        yield request.param
        return
    require_pgbouncer(prepared_statements=request.param == "transaction")
    session, deadlines, transaction = blocks_for("docs/operate/pgbouncer.md", HERE)
    deployment.machine.follow(session)
    deployment.follow(deadlines)
    listening = ""
    if request.param == "transaction":
        deployment.machine.follow(transaction)
        listening = deployment.database_url
    direct = deployment.machine.settings()
    deployment.change_database(
        STEWARD_DATABASE_URL=deployment.pooler_url, STEWARD_DATABASE_LISTEN_URL=listening
    )
    yield request.param
    deployment.change_database(
        STEWARD_DATABASE_URL=direct["STEWARD_DATABASE_URL"], STEWARD_DATABASE_LISTEN_URL=""
    )


def require_delivery(base_url: str, deployment: Deployment) -> None:
    """An event comes to its receiver, signed."""
    organization = Organization(base_url, deployment.database_url, "Enterprise")
    with Receiver() as receiver:
        made = data_of(
            organization.api.post(
                f"/v2{organization.path}/webhooks", json={"url": receiver.url, "events": ["workorder.*"]}
            )
        )
        organization.work_orders.create()
        [(body, headers)] = wait_for("the event", lambda: receiver.of_type("workorder.created"))
        verify(body, headers, made["signingSecret"])
        receiver.shutdown()


def test_the_end_to_end_suite_passes(way: str, deployment: Deployment, tmp_path: Path) -> None:
    with FRONTENDS["nginx"](tmp_path, deployment.addresses) as proxy:
        require_delivery(proxy.base_url, deployment)
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITE]
            + [f"--deselect={test}" for test in LEFT_OUT],
            env={
                **os.environ,
                # Some of its callers want to be sure whom they speak to.
                "SSL_CERT_FILE": str(proxy.certificate),
                ADDRESS_VARIABLE: proxy.base_url,
                DATABASE_VARIABLE: deployment.database_url,
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout[-8000:]


class Load:
    """People at work while something happens; what they get is counted."""

    def __init__(self, base_url: str, organization: Organization) -> None:
        self._base_url = base_url
        self._organization = organization
        self._over = threading.Event()
        self.answered = 0
        self.failed: list[str] = []

    def work(self, number: int) -> None:
        path = f"{self._organization.path}/work-orders"
        headers = {"X-API-Key": self._organization.secret}
        with httpx.Client(
            base_url=self._base_url, headers=headers, verify=False, timeout=limit(60)
        ) as client:
            while not self._over.is_set():
                try:
                    if number % 2:
                        answer = client.get(path, params={"limit": 5})
                    else:
                        answer = client.post(path, json={"title": "Leak"})
                except httpx.TransportError as error:
                    self.failed.append(repr(error))
                else:
                    if answer.is_success:
                        self.answered += 1
                    else:
                        self.failed.append(f"{answer.status_code} {answer.text[:200]}")

    def end(self) -> None:
        self._over.set()


@pytest.mark.parametrize("name", FRONTENDS)
def test_a_restart_of_one_after_the_other_fails_no_request(
    deployment: Deployment, name: str, tmp_path: Path
) -> None:
    before = {file.name: file.read_text() for file in (deployment.machine.root / "run").iterdir()}
    with FRONTENDS[name](tmp_path, deployment.addresses) as proxy, ThreadPoolExecutor(4) as threads:
        organization = Organization(proxy.base_url, deployment.database_url, "Enterprise")
        load = Load(proxy.base_url, organization)
        working = [threads.submit(load.work, number) for number in range(4)]
        try:
            deployment.machine.follow(deployment.restarting)
        finally:
            load.end()
        for work in working:
            work.result()
    after = {file.name: file.read_text() for file in (deployment.machine.root / "run").iterdir()}
    restarted = {name for name, pid in after.items() if before[name] != pid}
    assert len(restarted) == 4, "two API processes and two workers are others now"
    assert (load.failed, load.answered > 100) == ([], True)
