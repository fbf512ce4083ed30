"""Which tenants stand together where a database is spread over several servers."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any, TypeVar

from steward.kit.db.sql import sql
from steward.kit.db.transaction import Database
from steward.kit.security.caller import TenantId

T = TypeVar("T")

_SHARDS = sql(
    """SELECT w.tenant, get_shard_id_for_distribution_column('organizations', w.tenant)
       FROM unnest($1::text[]) w (tenant)""",
    across="where tenants stand is asked for those whom a statement takes together",
    only_distributed=True,
)


@lru_cache(maxsize=65_536)
def tenant_number(tenant: TenantId) -> int:
    """Stands for a tenant where its identifier would be too long: in the rows of the history. Nothing has to be looked up for it;
    two tenants may share one."""
    return int.from_bytes(sha256(tenant.encode()).digest()[:4], "big", signed=True)


def tenants_of(rows: Iterable[Any], key: Callable[[Any], Any] = itemgetter(0)) -> list[Any]:
    """Each once."""
    return list(dict.fromkeys(map(key, rows)))


def among(table: str, parameter: int) -> str:
    """The condition that the rows of a table are those of the tenants in a parameter, or anybody's where it is null."""
    return f"(${parameter}::text[] IS NULL OR {table}.organization_id = ANY (${parameter}::text[]))"


async def tenants_to_name(db: Database, tenants: Iterable[str]) -> list[str] | None:
    """Each once, for a sharded server, which finds by them where a statement belongs. None for a plain one: told of tenants, its
    planner would read all that they have instead of the rows that are asked for."""
    return list(dict.fromkeys(tenants)) if await db.is_distributed() else None


def _first(item: Any) -> Any:
    return item[0]


async def by_shard(db: Database, items: Iterable[T], key: Callable[[T], Any] = _first) -> list[list[T]]:
    """The items in groups that one statement may take together, each in the order given; `key` says whose one is. A sharded server
    locks rows of one shard at a time, and takes no statement that asks for more; a plain one has everything in one place, and
    isn't asked.

    Where shards have been split since, the next look says so: nothing of it is remembered.
    """
    listed = list(items)
    tenants = {key(item) for item in listed}
    if len(tenants) < 2 or not await db.is_distributed():
        return [listed] if listed else []
    shards = {row[0]: row[1] for row in await db.fetch(_SHARDS, sorted(tenants))}
    groups: dict[int, list[T]] = defaultdict(list)
    for item in listed:
        groups[shards[key(item)]].append(item)
    # In one order, so that two who want the same rows wait for each other and not both for ever.
    return [groups[shard] for shard in sorted(groups)]
