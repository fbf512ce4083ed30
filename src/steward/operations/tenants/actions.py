"""Deletes an organization with everything that it has. An interrupted run continues when it is run again."""

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.pool import Pool
from steward.kit.db.table_kinds import ROOT
from steward.kit.domain.problems import NotFound
from steward.kit.security.caller import TenantId
from steward.migrations.distribution import parents_first
from steward.operations.backup.queries import references
from steward.operations.tenants import queries
from steward.operations.tenants.model import HISTORY, OWNED, OnRows
from steward.organizations import queries as organizations

_STATEMENT_SECONDS = 600

# With the last people go their accounts, and with the organization its name: until then it can be found again.
_IN_THE_END = frozenset({"memberships", "organizations"})


async def close_organization(pool: Pool, bus: Invalidator, tenant: TenantId) -> None:
    """Keys, people and webhooks stop at once on every process: the invalidation is acknowledged before this returns."""
    async with pool.transaction() as tx:
        if await organizations.lock(tx, tenant) is None:
            raise NotFound(f"There is no organization {tenant}.")
        await queries.close_doors(tx, tenant)
        await bus.invalidate(tx, tenant)


async def delete_organization(
    pool: Pool, bus: Invalidator, url: str, tenant: TenantId, on_deleted: OnRows
) -> dict[str, int]:
    """What is much goes piece by piece, each in a transaction of its own; then the rest and the organization in one. Returns
    what is left, which is nothing."""
    await close_organization(pool, bus, tenant)
    async with await connect(url, seconds=_STATEMENT_SECONDS) as connection:
        ordered = await _children_first(connection)
        await _delete_history(connection, tenant, on_deleted)
        for table in (each for each in ordered if each not in _IN_THE_END):
            await _delete_table(connection, table, tenant, on_deleted)
        async with pool.transaction() as tx:
            # Who is still writing holds the organization, and is waited for.
            await queries.hold(tx, tenant)
            await queries.delete_rest(tx, ordered, tenant)
            await bus.invalidate(tx, tenant)
        # Readings don't refer to the organization: who was late has written some since.
        await _delete_history(connection, tenant, on_deleted)
        return await queries.remaining(connection, tenant)


async def has_leftovers(url: str, tenant: TenantId) -> bool:
    """Whether an organization that is gone has rows all the same."""
    async with await connect(url, seconds=_STATEMENT_SECONDS) as connection:
        return bool(await queries.remaining(connection, tenant))


async def delete_leftovers(url: str, tenant: TenantId, on_deleted: OnRows) -> dict[str, int]:
    """Deletes rows that were written after the organization was gone. Returns what is left, which is nothing."""
    async with await connect(url, seconds=_STATEMENT_SECONDS) as connection:
        if await queries.name(connection, tenant) is None:
            await _delete_history(connection, tenant, on_deleted)
            for table in (each for each in await _children_first(connection) if each != ROOT):
                await _delete_table(connection, table, tenant, on_deleted)
        return await queries.remaining(connection, tenant)


async def _children_first(connection: DatabaseConnection) -> list[str]:
    parents = {
        table: among & set(OWNED) for table, among in (await references(connection)).items() if table in OWNED
    }
    return parents_first(OWNED, parents)[::-1]


async def _delete_history(connection: DatabaseConnection, tenant: TenantId, on_deleted: OnRows) -> None:
    for table in HISTORY:
        for partition in await queries.history_partitions(connection, table):
            await queries.delete_history(connection, partition, tenant)
        on_deleted(table, 0)


async def _delete_table(
    connection: DatabaseConnection, table: str, tenant: TenantId, on_deleted: OnRows
) -> None:
    gone = 0
    while found := await queries.delete_some(connection, table, tenant):
        gone += found
    on_deleted(table, gone)
