"""One side: a database of so many tenants and rows, and what is done there."""

import asyncio
import http.client
import random
import time
from itertools import cycle, islice
from typing import Any

import asyncpg
import msgspec

from bench import cpu, processes
from bench.connectivity.devices import KEEP_ALIVE
from bench.delivery import running
from bench.delivery.running import Stage
from bench.delivery.tenants import drop_waiting, queue
from bench.scale.tenants import Size, device_id
from bench.tenants import Tenant
from steward.assets.connectivity.jobs import check_connectivity
from steward.kit.db.pool import Pool

# Until every job of a worker has run for the first time.
_SETTLE_SECONDS = 8

_NEW_ORDER = msgspec.json.encode(
    {
        "title": "Air handler 3 is noisy",
        "description": "Grinding noise since this morning.",
        "priority": "High",
    }
)
_MAKE_SILENT = """UPDATE assets AS a SET connection_status = true, last_seen = $3::bigint, connectivity_due = $4
                  FROM unnest($1::text[], $2::text[]) AS silent (organization_id, id)
                  WHERE a.organization_id = silent.organization_id AND a.id = silent.id"""
_COUNTS = "SELECT blks_hit + blks_read, xact_commit FROM pg_stat_database WHERE datname = current_database()"


class Side(msgspec.Struct):
    size: Size
    stage: Stage
    busy: list[Tenant]
    tenants: list[str]
    # Goes on from check to check, as it would.
    now: int
    port: int = 0
    api_pid: int = 0

    def idle(self, seconds: float) -> dict[str, float]:
        """Of a worker that has nothing to do: CPU milliseconds, blocks and transactions, each for a second."""
        with running.worker(self.stage) as pid:
            time.sleep(_SETTLE_SECONDS)
            counts, own, postgres = self._counts(), cpu.seconds_of(pid), self._postgres()
            time.sleep(seconds)
            own, postgres = cpu.seconds_of(pid) - own, self._postgres() - postgres
            blocks, transactions = (
                (end - begin) / seconds for begin, end in zip(counts, self._counts(), strict=True)
            )
        return {
            "cost": (own + postgres) * 1000 / seconds,
            "worker_ms": own * 1000 / seconds,
            "postgres_ms": postgres * 1000 / seconds,
            "blocks": blocks,
            "transactions": transactions,
        }

    def list_orders(self, count: int) -> dict[str, float]:
        return self._ask("GET", count)

    def create_orders(self, count: int) -> dict[str, float]:
        """Each with an event and a delivery, which nobody sends."""
        cost = self._ask("POST", count, _NEW_ORDER)
        asyncio.run(drop_waiting(self.stage.url))
        return cost

    def _ask(self, method: str, count: int, body: bytes | None = None) -> dict[str, float]:
        """CPU microseconds of the API process and of PostgreSQL for a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        own, postgres = cpu.seconds_of(self.api_pid), self._postgres()
        for tenant in islice(cycle(self.busy), count):
            headers = {"X-API-Key": tenant.keys[0], "Content-Type": "application/json"}
            connection.request(method, f"/organizations/{tenant.id}/work-orders", body, headers)
            answer = connection.getresponse()
            said = answer.read()
            if answer.status not in (200, 201):
                raise RuntimeError(f"{method}: {answer.status} {said[:200]!r}")
        connection.close()
        own, postgres = cpu.seconds_of(self.api_pid) - own, self._postgres() - postgres
        scale = 1e6 / count
        return {"cost": (own + postgres) * scale, "api_us": own * scale, "postgres_us": postgres * scale}

    def deliver(self, count: int) -> dict[str, float]:
        """To the webhooks of those who are busy."""
        return self._deliver([tenant.id for tenant in self.busy], count)

    def deliver_spread(self, count: int) -> dict[str, float]:
        """To as many webhooks as there are."""
        return self._deliver(random.sample(self.tenants, min(count, len(self.tenants))), count)

    def _deliver(self, tenants: list[str], count: int) -> dict[str, float]:
        """CPU microseconds of the worker and of PostgreSQL for a delivery, from the commit until the last has come."""
        wanted = (running.count(self.stage.receiver_port) or 0) + count
        asyncio.run(queue(self.stage.url, tenants, count, each=1))
        own, postgres = cpu.seconds_of(self.stage.worker_pid), self._postgres()
        port = self.stage.receiver_port
        processes.await_that(lambda: (running.count(port) or 0) >= wanted, "all have arrived", 120)
        processes.await_that(lambda: not asyncio.run(_waiting(self.stage.url)), "nothing waits", 120)
        own, postgres = cpu.seconds_of(self.stage.worker_pid) - own, self._postgres() - postgres
        scale = 1e6 / count
        return {"cost": (own + postgres) * scale, "worker_us": own * scale, "postgres_us": postgres * scale}

    def connectivity(self, count: int) -> dict[str, float]:
        """CPU microseconds of the check and of PostgreSQL for a device that fell silent, over as many tenants as there are."""
        self.now += 1
        silent = self._devices(count)
        asyncio.run(_make_silent(self.stage.url, silent, self.now))
        own, postgres = time.process_time(), self._postgres()
        changed = asyncio.run(_check(self.stage.url, self.now))
        own, postgres = time.process_time() - own, self._postgres() - postgres
        assert changed == len(silent), changed
        asyncio.run(drop_waiting(self.stage.url))
        scale = 1e6 / len(silent)
        return {"cost": (own + postgres) * scale, "check_us": own * scale, "postgres_us": postgres * scale}

    def _devices(self, count: int) -> list[tuple[str, str]]:
        each = -(-count // len(self.tenants))
        chosen = random.sample(self.tenants, -(-count // each))
        return [
            (tenant, device_id(number))
            for tenant in chosen
            for number in random.sample(range(self.size.devices_each), min(each, self.size.devices_each))
        ]

    def _postgres(self) -> float:
        return cpu.seconds_of_family(self.stage.postgres_pid)

    def _counts(self) -> tuple[int, int]:
        return asyncio.run(_fetchrow(self.stage.url, _COUNTS))


async def _fetchrow(url: str, statement: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return tuple(await connection.fetchrow(statement))
    finally:
        await connection.close()


async def _waiting(url: str) -> bool:
    (found,) = await _fetchrow(url, "SELECT EXISTS (SELECT 1 FROM deliveries WHERE due IS NOT NULL)")
    return bool(found)


async def _make_silent(url: str, silent: list[tuple[str, str]], now: int) -> None:
    connection = await asyncpg.connect(url)
    tenants, ids = map(list, zip(*silent, strict=True))
    await connection.execute(_MAKE_SILENT, tenants, ids, now - 2 * KEEP_ALIVE, now)
    await connection.close()


async def _check(url: str, now: int) -> int:
    pool = Pool(url, 2, seconds=600)
    try:
        return await check_connectivity(pool, now)
    finally:
        await pool.close()
