"""One check among so many devices, and the readings of all of them."""

import asyncio
import random
import time

import asyncpg

from bench.connectivity.devices import KEEP_ALIVE, TENANTS, device_id, tenant
from steward.assets.connectivity.jobs import check_connectivity
from steward.kit.db.pool import Pool

FLIPS = 1000
_READINGS_AT_ONCE = 500

# Some devices of every tenant, wherever they lie. Silent ones have to be told of, others only to be looked at again.
_MAKE_DUE = """UPDATE assets SET connection_status = true, last_seen = $3::bigint, connectivity_due = $4
               WHERE organization_id = $1 AND id = ANY ($2::text[])"""
# Everything that a reading writes into the asset; a batch is of all tenants.
_READINGS = """UPDATE assets AS a SET last_telemetry = a.last_telemetry || r.values, last_seen = r.at
               FROM unnest($1::text[], $2::text[], $3::bigint[], $4::jsonb[]) AS r (organization_id, id, at, values)
               WHERE a.organization_id = r.organization_id AND a.id = r.id"""
_OTHERS = """SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
_COUNTS = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'assets'"


class Devices:
    """A database with so many; `now` goes on from check to check, as it would."""

    def __init__(self, url: str, count: int, now: int) -> None:
        self.url = url
        self.count = count
        self.now = now
        self._each = count // TENANTS
        # As in a worker that has been running for a while, its connections are open and its statements prepared.
        self._pool = Pool(url, 2, seconds=600)

    async def check(self, *, due: int, silent: bool = True) -> float:
        """Seconds that a check takes of which so many devices are due."""
        self.now += 1
        connection = await asyncpg.connect(self.url)
        last_seen = self.now - 2 * KEEP_ALIVE if silent else self.now
        for number in range(TENANTS):
            if due:
                chosen = random.sample(range(self._each), due // TENANTS)
                ids = [device_id(n) for n in chosen]
                await connection.execute(_MAKE_DUE, tenant(number), ids, last_seen, self.now)
        await connection.close()
        began = time.perf_counter()
        changed = await check_connectivity(self._pool, self.now)
        took = time.perf_counter() - began
        assert changed == (due if silent else 0), changed
        return took

    async def hot_share(self, passes: int) -> tuple[float, float]:
        """Of the readings of all devices, so many of each: the share of HOT updates, and readings per second."""
        await self._pool.close()
        connection = await asyncpg.connect(self.url)
        # A session counts what it wrote for the last time when it ends.
        while await connection.fetchval(_OTHERS):
            await asyncio.sleep(0.05)
        before = await _counts(connection)
        began = time.perf_counter()
        for _ in range(passes):
            order = random.sample(range(self.count), self.count)
            for start in range(0, self.count, _READINGS_AT_ONCE):
                await self._report(connection, sorted(order[start : start + _READINGS_AT_ONCE]))
        took = time.perf_counter() - began
        after = await _counts(connection)
        await connection.close()
        written, hot = (end - begin for begin, end in zip(before, after, strict=True))
        assert written == passes * self.count, written
        return hot / written, written / took

    async def _report(self, connection: asyncpg.Connection, chosen: list[int]) -> None:
        self.now += 1
        tenants = [tenant(n // self._each) for n in chosen]
        ids = [device_id(n % self._each) for n in chosen]
        values = [f'{{"Temperature": {random.randint(150, 300) / 10}, "CO2": 700}}' for _ in chosen]
        await connection.execute(_READINGS, tenants, ids, [self.now] * len(ids), values)


async def _counts(connection: asyncpg.Connection) -> tuple[int, int]:
    await connection.execute("SELECT pg_stat_force_next_flush()")
    written, hot = await connection.fetchrow(_COUNTS)
    return written, hot
