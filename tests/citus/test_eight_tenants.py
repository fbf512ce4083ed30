"""Eight tenants on as many shards as there are: every event arrives, and moving a shard disturbs nothing."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Organization, close_clients
from tests.support.service import Service
from tests.support.waiting import limit, wait_for

TENANTS = 8
ORDERS = 10
BROKEN = "/broken/"


class Receiver(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: Counter[str] = Counter()
        self.url = f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Receiver)
        self.server.taken[self.path] += 1
        self.send_response(503 if self.path.startswith(BROKEN) else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_words: Any) -> None:
        """The test says what came."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        yield receiver
        receiver.shutdown()


@pytest.fixture
def tenants(sending_service: Service) -> Iterator[list[Organization]]:
    service = sending_service
    yield [Organization(service.base_url, service.database_url, "Enterprise") for _ in range(TENANTS)]
    close_clients()


def _webhook(tenant: Organization, url: str) -> str:
    """Registered for created work orders; returns its path."""
    webhooks = f"/v2{tenant.path}/webhooks"
    answer = tenant.api.post(webhooks, json={"url": url, "events": ["workorder.created"]})
    assert answer.status_code == 201, answer.text
    return f"{webhooks}/{data_of(answer)['webhookId']}"


def test_all_deliveries_of_all_tenants_arrive(tenants: list[Organization], receiver: Receiver) -> None:
    for number, tenant in enumerate(tenants):
        _webhook(tenant, f"{receiver.url}{number}")
    for _ in range(ORDERS):
        for tenant in tenants:
            tenant.created("work-orders", {"title": "Lift is stuck"})
    expected = {f"/{number}": ORDERS for number in range(TENANTS)}
    wait_for("the arrival of all deliveries", lambda: dict(receiver.taken) == expected, seconds=60)


def test_failures_of_all_tenants_are_written_down(tenants: list[Organization], receiver: Receiver) -> None:
    """Outcomes are written for many tenants at once, and each with what it says of its webhook's health."""
    webhooks = [_webhook(tenant, f"{receiver.url}{BROKEN.strip('/')}/") for tenant in tenants]
    for tenant in tenants:
        tenant.created("work-orders", {"title": "Lift is stuck"})

    def statuses() -> list[list[str]]:
        answers = [
            tenant.api.get(f"{path}/deliveries") for tenant, path in zip(tenants, webhooks, strict=True)
        ]
        return [[row["status"] for row in data_of(answer)] for answer in answers]

    wait_for("all failures", lambda: statuses() == [["retrying"]] * TENANTS, seconds=60)
    health = (
        "SELECT failed_attempts > 0 AND failing_since IS NOT NULL FROM webhooks WHERE organization_id = $1"
    )
    for tenant in tenants:
        assert [failing for (failing,) in fetch(tenant.database_url, health, tenant.id)] == [True]


class _Load:
    """Creates and lists for all tenants until it is stopped, and counts the answers."""

    def __init__(self, tenants: list[Organization]) -> None:
        self._tenants = tenants
        self._stop = threading.Event()
        self.answers: Counter[int] = Counter()
        self.made: Counter[str] = Counter()

    def run(self, number: int) -> None:
        tenant = self._tenants[number % len(self._tenants)]
        with tenant.client(key=tenant.secret) as client:
            while not self._stop.is_set():
                made = client.post(f"{tenant.path}/work-orders", json={"title": "Under load"})
                listed = client.get(f"{tenant.path}/work-orders")
                self.answers.update([made.status_code, listed.status_code])
                self.made[tenant.id] += made.status_code == 201

    def stop(self) -> None:
        self._stop.set()


def test_a_shard_moves_under_load_and_no_request_fails(tenants: list[Organization]) -> None:
    load = _Load(tenants)
    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(load.run, number) for number in range(4)]
        try:
            wait_for("some requests", lambda: load.answers.total() > 20)
            moved = asyncio.run(_move(tenants[0].database_url, tenants[0].id))
            reached = load.answers.total()
            wait_for("requests after the move", lambda: load.answers.total() > reached + 20)
        finally:
            load.stop()
        for each in running:
            each.result()
    assert moved[0] != moved[1]
    assert set(load.answers) == {200, 201}, load.answers
    for tenant in tenants:
        [(stored,)] = fetch(
            tenant.database_url,
            "SELECT count(*) FROM work_orders WHERE organization_id = $1 AND title = 'Under load'",
            tenant.id,
        )
        assert stored == load.made[tenant.id]


async def _move(url: str, tenant: str) -> tuple[int, int]:
    """The shard of a tenant to the other worker, with its colocated shards; returns where it was and is."""
    connection = await asyncpg.connect(url, timeout=limit(60))
    place = """SELECT p.shardid, p.nodename, p.nodeport FROM pg_dist_shard_placement p
               WHERE p.shardid = get_shard_id_for_distribution_column('organizations', $1::text)"""
    shard, host, port = await connection.fetchrow(place, tenant)
    other = await connection.fetchrow(
        """SELECT nodename, nodeport FROM pg_dist_node
           WHERE shouldhaveshards AND isactive AND (nodename, nodeport) <> ($1, $2) LIMIT 1""",
        host,
        port,
    )
    await connection.execute(
        f"SELECT citus_move_shard_placement({shard}, '{host}', {port}, '{other[0]}', {other[1]}, "
        "shard_transfer_mode => 'force_logical')",
        timeout=limit(300),
    )
    _, _, now = await connection.fetchrow(place, tenant)
    await connection.close()
    return port, now
