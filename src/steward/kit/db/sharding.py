"""What differs between one PostgreSQL server and a Citus cluster, as operations: only they ask which of the two the database is.

A cluster locks rows of one shard at a time, finds the shard by the tenants that a statement names, and plans each writing part of a
statement by itself.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any, TypeVar

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.sql import Sql, sql
from steward.kit.db.transaction import Database, Transaction
from steward.kit.security.caller import TenantId

T = TypeVar("T")
_first: Callable[[Any], Any] = itemgetter(0)

_SHARDS = sql(
    """SELECT w.tenant, get_shard_id_for_distribution_column('organizations', w.tenant)
       FROM unnest($1::text[]) w (tenant)""",
    across="the shards of all tenants that a statement takes together",
    only_distributed=True,
)


@lru_cache(maxsize=65_536)
def tenant_number(tenant: TenantId) -> int:
    """The tenant in the rows of the history, where its identifier would be too long. It needs no lookup; two tenants may share one."""
    return int.from_bytes(sha256(tenant.encode()).digest()[:4], "big", signed=True)


def tenants_of(rows: Iterable[Any], key: Callable[[Any], Any] = _first) -> list[Any]:
    """Each once."""
    return list(dict.fromkeys(map(key, rows)))


def among(table: str, parameter: int) -> str:
    """The condition that rows belong to the tenants in a parameter, or to any tenant if it is null."""
    return f"(${parameter}::text[] IS NULL OR {table}.organization_id = ANY (${parameter}::text[]))"


async def tenants_to_name(db: Database, tenants: Iterable[str]) -> list[str] | None:
    """Each once for a cluster, which finds the shards by them. None for one server: with tenants, its planner would read all of their
    rows instead of those that are asked for."""
    return list(dict.fromkeys(tenants)) if await db.is_distributed() else None


async def one_or_several(
    db: Database, one: Callable[[], Awaitable[T]], several: Callable[[Transaction], Awaitable[T]]
) -> T:
    """On one server, `one` statement; on a cluster, `several` short ones with the same effect in a transaction."""
    if not await db.is_distributed():
        return await one()
    async with db.transaction() as tx:
        return await several(tx)


async def only_distributed(db: Database, ask: Callable[[], Awaitable[T]]) -> T | None:
    """None on one server, which knows by itself what a cluster has to be asked for."""
    return await ask() if await db.is_distributed() else None


async def all_or_by_shard(
    db: Database, tenants: Callable[[], Awaitable[list[str]]]
) -> list[list[str] | None]:
    """The groups of tenants whose rows one statement may lock; on one server [None], for all of them."""
    if not await db.is_distributed():
        return [None]
    return list(await by_shard(db, await tenants(), lambda tenant: tenant))


async def all_or_each(connection: DatabaseConnection, tenants: Sql, *args: Any) -> list[Any]:
    """The tenants that a statement finds, to be taken one by one; on one server [None], for all of them."""
    return [row[0] for row in await connection.run(tenants, *args)] if connection.is_distributed else [None]


async def by_shard(db: Database, items: Iterable[T], key: Callable[[T], Any] = _first) -> list[list[T]]:
    """The items in groups that one statement may take together, each in the order given; `key` gives the tenant of one. On one server
    it is one group. The shards are read each time, so that a split of shards needs no notification.
    """
    listed = list(items)
    tenants = {key(item) for item in listed}
    if len(tenants) < 2 or not await db.is_distributed():
        return [listed] if listed else []
    shards = {row[0]: row[1] for row in await db.fetch(_SHARDS, sorted(tenants))}
    groups: dict[int, list[T]] = defaultdict(list)
    for item in listed:
        groups[shards[key(item)]].append(item)
    # In one order, to avoid deadlocks.
    return [groups[shard] for shard in sorted(groups)]
