"""Reads from replicas see every earlier write, and fall back to the database."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import asyncpg
import httpx
import pytest
from tests.support.databases import fetch_rows
from tests.support.launching import temporary_postgres
from tests.support.organizations import Organization, close_clients
from tests.support.ports import free_port
from tests.support.processes import ApiProcess
from tests.support.standby import Standby, standby_of
from tests.support.waiting import wait_for, wait_for_async

from steward.kit.db.pool import Pool
from steward.kit.db.replicas import ReplicaError, Replicas
from steward.kit.db.sql import sql
from steward.wiring.schema import migrate

_WHO = sql("SELECT pg_is_in_recovery()")
_COUNT = sql("SELECT count(*) FROM notes")
_ADD = sql("INSERT INTO notes VALUES ($1)")
_SLOW = sql("SELECT pg_sleep(60)")
_SLOW_THERE = sql("SELECT count(CASE WHEN pg_is_in_recovery() THEN pg_sleep(60) END) FROM lists")


class Pair(NamedTuple):
    primary_url: str
    standby: Standby


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("primary")
    with temporary_postgres(folder) as primary:
        asyncio.run(_run(primary.url, "CREATE TABLE notes (number integer)"))
        with standby_of(folder, tmp_path_factory.mktemp("standby")) as standby:
            yield Pair(primary.url, standby)


async def _run(url: str, command: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(command)
    finally:
        await connection.close()


@asynccontextmanager
async def _replicas(
    servers: Pair, *more: str, catch_up_seconds: float = 3600
) -> AsyncIterator[tuple[Pool, Replicas]]:
    """A copy may take as long as it does on a slow machine to catch up, and what is left alone stays so."""
    primary = Pool(servers.primary_url, 4)
    urls = [servers.standby.url, *more]
    replicas = Replicas(primary, urls, catch_up_seconds=catch_up_seconds, rest_seconds=3600)
    try:
        yield primary, replicas
    finally:
        await replicas.close()
        await primary.close()


async def test_replica_answers_with_everything_written_before(servers: Pair) -> None:
    async with _replicas(servers) as (primary, replicas):
        await replicas.start()
        before = await primary.fetchval(_COUNT)
        for number in range(1, 51):
            await primary.execute(_ADD, number)
            reader = replicas.reader()
            assert await reader.fetchval(_COUNT) == before + number
            assert await reader.fetchval(_WHO) is True


async def test_a_lagging_replica_is_not_used(servers: Pair) -> None:
    async with _replicas(servers, catch_up_seconds=0.1) as (primary, replicas):
        await _run(servers.standby.url, "SELECT pg_wal_replay_pause()")
        try:
            before = await primary.fetchval(_COUNT)
            await primary.execute(_ADD, 0)
            reader = replicas.reader()
            assert await reader.fetchval(_COUNT) == before + 1
            assert await reader.fetchval(_WHO) is False
            assert replicas.next() is None, "it is left alone for a while"
        finally:
            await _run(servers.standby.url, "SELECT pg_wal_replay_resume()")


async def test_request_reads_from_one_server(servers: Pair) -> None:
    async with _replicas(servers, servers.standby.url) as (_, replicas):
        first, second = replicas.reader(), replicas.reader()
        assert await first.fetchval(_WHO) is True
        chosen = replicas.next()
        assert await second.fetchval(_WHO) is True
        assert chosen is not None
        assert await first.fetchval(_WHO) is True


async def test_a_replica_that_stops_midway_is_replaced_by_the_primary(servers: Pair) -> None:
    async with _replicas(servers) as (_, replicas):
        reader = replicas.reader()
        assert await reader.fetchval(_WHO) is True
        servers.standby.stop()
        try:
            assert await reader.fetchval(_WHO) is False
            assert await replicas.reader().fetchval(_WHO) is False
            # One that is away when the service starts may come back later.
            async with _replicas(servers) as (_, others):
                await others.start()
                assert await others.reader().fetchval(_WHO) is False
        finally:
            servers.standby.start()


async def test_a_replica_read_cancelled_by_replay_is_repeated_on_the_primary(servers: Pair) -> None:
    """A replica ends a statement that holds up what it has to follow; the database itself never does."""
    async with _replicas(servers) as (_, replicas):
        await _run(servers.primary_url, "CREATE TABLE lists AS SELECT 1 AS number")
        reading = asyncio.ensure_future(replicas.reader().fetchval(_SLOW_THERE))
        begun = "SELECT pid FROM pg_stat_activity WHERE query = $1 AND wait_event = 'PgSleep'"
        await wait_for_async(
            "the beginning of the read", lambda: fetch_rows(servers.standby.url, begun, _SLOW_THERE)
        )
        await _run(servers.primary_url, "TRUNCATE lists")
        assert await reading == 0


async def test_statements_that_time_out_on_a_replica_are_not_retried(servers: Pair) -> None:
    async with _replicas(servers) as (_, replicas):
        reader = replicas.reader()
        assert await reader.fetchval(_WHO) is True
        asking = asyncio.ensure_future(reader.fetchval(_SLOW))
        cancel = (
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = $1 AND wait_event = 'PgSleep'"
        )
        await wait_for_async(
            "the beginning of the read", lambda: fetch_rows(servers.standby.url, cancel, _SLOW)
        )
        with pytest.raises(asyncpg.QueryCanceledError):
            await asking


async def test_writes_go_to_the_primary(servers: Pair) -> None:
    async with _replicas(servers) as (_, replicas):
        reader = replicas.reader()
        async with reader.transaction() as tx:
            await tx.execute(_ADD, -1)
            assert await tx.fetchval(_WHO) is False


async def test_another_server_is_refused_as_replica(servers: Pair, database_url: str) -> None:
    primary = Pool(servers.primary_url, 2)
    try:
        strangers = Replicas(primary, [database_url])
        with pytest.raises(ReplicaError, match="is not a replica of the database"):
            await strangers.start()
        assert await strangers.reader().fetchval(_WHO) is False
        await strangers.close()
    finally:
        await primary.close()


async def test_primary_answers_without_replicas(servers: Pair) -> None:
    primary = Pool(servers.primary_url, 2)
    try:
        assert Replicas(primary, []).reader() is primary
    finally:
        await primary.close()


def test_reads_from_a_replica_see_all_writes(servers: Pair, tmp_path: Path) -> None:
    asyncio.run(migrate(servers.primary_url))
    address = f"127.0.0.1:{free_port()}"
    api = ApiProcess(
        tmp_path / "api.log",
        servers.primary_url,
        STEWARD_DATABASE_REPLICA_URLS=servers.standby.url,
        STEWARD_METRICS_ADDRESS=address,
    )
    try:
        api.wait_until_live()
        organization = Organization(api.base_url, servers.primary_url, "Enterprise")
        made = 0

        def reads() -> float:
            """From the replica; there are fewer where that is slow to follow, and nothing is missed either way."""
            nonlocal made
            made += 1
            organization.work_orders.create(title=f"Order {made}")
            lines = organization.api.get(f"{organization.path}/work-orders.ndjson").text.splitlines()
            assert len(lines) == made
            return _reads_from_replica(address)

        wait_for("ten reads from the replica", lambda: reads() >= 10)
        organization.devices.report(organization.devices.first_id, {"Temperature": 21.5})
        assert [value for _, value in organization.devices.history(organization.devices.first_id)] == [21.5]
    finally:
        close_clients()
        api.stop()


def _reads_from_replica(address: str) -> float:
    shown = httpx.get(f"http://{address}/metrics").raise_for_status().text
    found = re.search(r'^steward_replica_reads_total\{answered_by="replica"\} (\S+)', shown, re.MULTILINE)
    return float(found[1]) if found else 0
