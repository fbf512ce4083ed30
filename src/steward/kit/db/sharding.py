"""Which tenants stand together where a database is spread over several servers."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from steward.kit.db.sql import Sql, sql
from steward.kit.db.transaction import Database

T = TypeVar("T")
Among = Callable[[str], str]

_SHARDS = sql(
    """SELECT w.tenant, get_shard_id_for_distribution_column('organizations', w.tenant)
       FROM unnest($1::text[]) w (tenant)""",
    across="where tenants stand is asked for those whom a statement takes together",
    only_distributed=True,
)


class ByIdentifiers(NamedTuple):
    """A statement that finds rows of several tenants by their identifiers. A sharded server has to be told the tenants as a list
    as well, to know the shard; a plain one that is told so may read all that these tenants have."""

    plain: Sql
    of_a_shard: Sql

    @classmethod
    def of(cls, text: Callable[[Among], str], tenants: str, *, across: str) -> "ByIdentifiers":
        """`text` asks, for each table by its alias, for the condition that its rows are of these `tenants`, a placeholder."""
        plain = text(lambda _alias: "true")
        of_a_shard = text(lambda alias: f"{alias}.organization_id = ANY ({tenants}::text[])")
        return cls(sql(plain, across=across), sql(of_a_shard, across=across, only_distributed=True))

    async def on(self, db: Database) -> Sql:
        return self.of_a_shard if await db.is_distributed() else self.plain


@lru_cache(maxsize=65_536)
def tenant_number(tenant: str) -> int:
    """Stands for a tenant where its identifier would be too long: in the rows of the history. Nothing has to be looked up for it;
    two tenants may share one."""
    return int.from_bytes(sha256(tenant.encode()).digest()[:4], "big", signed=True)


def tenants_of(rows: Iterable[Any], tenant: Callable[[Any], Any] = itemgetter(0)) -> list[Any]:
    """Each once. A statement that is told whose rows it takes needn't look at those of others."""
    return list(dict.fromkeys(map(tenant, rows)))


def _first(item: Any) -> Any:
    return item[0]


async def by_shard(db: Database, items: Iterable[T], tenant: Callable[[T], Any] = _first) -> list[list[T]]:
    """The items in groups that one statement may take together, each in the order given. A sharded server locks rows of one
    shard at a time, and takes no statement that asks for more; a plain one has everything in one place, and isn't asked.

    Where shards have been split since, the next look says so: nothing of it is remembered.
    """
    listed = list(items)
    tenants = {tenant(item) for item in listed}
    if len(tenants) < 2 or not await db.is_distributed():
        return [listed] if listed else []
    shards = {row[0]: row[1] for row in await db.fetch(_SHARDS, sorted(tenants))}
    groups: dict[int, list[T]] = defaultdict(list)
    for item in listed:
        groups[shards[tenant(item)]].append(item)
    # In one order, so that two who want the same rows wait for each other and not both for ever.
    return [groups[shard] for shard in sorted(groups)]
