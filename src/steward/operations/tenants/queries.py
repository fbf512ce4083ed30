"""Reads, counts and deletes the rows of one organization, in whatever table the register names."""

from collections.abc import AsyncIterator, Mapping
from functools import partial

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.query import Row, Sql, Transaction, query, sql
from steward.kit.db.sharding import tenant_number
from steward.kit.db.table_kinds import TENANT_COLUMN, TableKind, distribution_column
from steward.kit.security.caller import TenantId
from steward.operations.tenants.model import HISTORY, OWNED

_CATALOGUE = "the catalogue has no tenants"
_SECONDS = 600
_AT_ONCE = 2000


_column = partial(distribution_column, kind=TableKind.TENANT)
_DELETE: Mapping[str, Sql] = {
    table: sql(f"DELETE FROM {table} WHERE {_column(table)} = $1", seconds=_SECONDS) for table in OWNED
}
_COUNT: Mapping[str, Sql] = {
    table: sql(f"SELECT count(*) FROM {table} WHERE {_column(table)} = $1", seconds=_SECONDS)
    for table in OWNED
}
# If no other organization has the same number, deleted assets included.
_OF_SERIES = """tenant = $1::integer AND ($2::boolean OR series IN (
                    SELECT a.series FROM assets a WHERE a.organization_id = $3 AND a.series IS NOT NULL))"""
_COUNT_HISTORY: Mapping[str, Sql] = {
    table: sql(f"SELECT count(*) FROM {table} WHERE {_OF_SERIES}", seconds=_SECONDS) for table in HISTORY
}

# No login and no delivery works any more.
_CLOSE = tuple(
    sql(text)
    for text in (
        "UPDATE api_keys SET status = 'revoked' WHERE organization_id = $1 AND status <> 'revoked'",
        "UPDATE memberships SET status = 'Suspended' WHERE organization_id = $1 AND status <> 'Suspended'",
        "UPDATE webhooks SET status = 'paused' WHERE organization_id = $1 AND status = 'active'",
        "DELETE FROM web_sessions WHERE organization_id = $1",
        "DELETE FROM refresh_tokens WHERE organization_id = $1",
        "DELETE FROM calendar_links WHERE organization_id = $1",
        "DELETE FROM resource_tablets WHERE organization_id = $1",
        "DELETE FROM deck_screens WHERE organization_id = $1",
    )
)
_ACCOUNTS = sql(
    """SELECT a.id, a.email, a.created, a.updated FROM accounts a JOIN memberships m ON m.account_id = a.id
       WHERE m.organization_id = $1 ORDER BY a.id"""
)
_ACCOUNT_IDS = sql("SELECT account_id FROM memberships WHERE organization_id = $1")
_DELETE_UNUSED_ACCOUNTS = sql(
    """DELETE FROM accounts a WHERE a.id = ANY ($1::text[])
       AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = a.id)""",
    across="an account that another organization has, too, stays",
)


@query("SELECT name FROM organizations WHERE id = $1")
async def name(connection: DatabaseConnection, tenant: TenantId) -> str | None: ...


@query(
    """SELECT attname::text, atttypid = 'bytea'::regtype FROM pg_attribute
       WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum""",
    across=_CATALOGUE,
)
async def columns(connection: DatabaseConnection, table: str) -> list[Row]:
    """(name, whether it holds bytes)"""


async def rows(
    connection: DatabaseConnection, table: str, shown: list[str], tenant: TenantId
) -> AsyncIterator[Row]:
    """In the order of their keys, a few at a time."""
    key = ", ".join(await _key(connection, table))
    text = f"SELECT {', '.join(shown)} FROM {table} WHERE {_column(table)} = $1 ORDER BY {key}"
    async for row in connection.cursor(text, tenant, prefetch=_AT_ONCE):
        yield row


async def accounts(connection: DatabaseConnection, tenant: TenantId) -> AsyncIterator[Row]:
    for row in await connection.run(_ACCOUNTS, tenant):
        yield row


async def close_doors(tx: Transaction, tenant: TenantId) -> None:
    for statement in _CLOSE:
        await tx.execute(statement, tenant)


# Blocks new rows: every row of its tables refers to it.
@query("SELECT id FROM organizations WHERE id = $1 FOR UPDATE", seconds=_SECONDS)
async def hold(tx: Transaction, tenant: TenantId) -> None: ...


async def delete_some(connection: DatabaseConnection, table: str, tenant: TenantId) -> int:
    """Some of a table's rows, or all where they refer to each other; how many."""
    if await _refers_to_itself(connection, table):
        await connection.run(_DELETE[table], tenant)
        return 0
    key = ", ".join(await _key(connection, table))
    status = await connection.execute(
        f"""DELETE FROM {table} WHERE {TENANT_COLUMN} = $1
            AND ({key}) IN (SELECT {key} FROM {table} WHERE {TENANT_COLUMN} = $1 LIMIT {_AT_ONCE})""",
        tenant,
    )
    return int(status.rpartition(" ")[2])


@query(
    "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = $1::text::regclass ORDER BY 1",
    across=_CATALOGUE,
)
async def history_partitions(connection: DatabaseConnection, table: str) -> list[str]: ...


async def delete_history(connection: DatabaseConnection, partition: str, tenant: TenantId) -> None:
    await connection.execute(
        f"DELETE FROM {partition} WHERE {_OF_SERIES}", *await _history(connection, tenant)
    )


async def delete_rest(tx: Transaction, ordered: list[str], tenant: TenantId) -> None:
    """What is left in all tables, and the accounts that no other organization has; the organization comes last."""
    account_ids = [row[0] for row in await tx.fetch(_ACCOUNT_IDS, tenant)]
    for table in ordered:
        await tx.execute(_DELETE[table], tenant)
        if table == "memberships":
            await tx.execute(_DELETE_UNUSED_ACCOUNTS, account_ids)


async def remaining(connection: DatabaseConnection, tenant: TenantId) -> dict[str, int]:
    """Tables in which the organization still has rows."""
    counts = {table: (await connection.run(_COUNT[table], tenant))[0][0] for table in OWNED}
    history = await _history(connection, tenant)
    counts |= {table: (await connection.run(_COUNT_HISTORY[table], *history))[0][0] for table in HISTORY}
    return {table: count for table, count in counts.items() if count}


async def _history(connection: DatabaseConnection, tenant: TenantId) -> tuple[int, bool, str]:
    number = tenant_number(tenant)
    return number, not await _is_shared(connection, tenant, number), tenant


@query(
    """SELECT EXISTS (SELECT 1 FROM organizations WHERE id <> $1
           AND ('x' || left(encode(sha256(convert_to(id, 'UTF8')), 'hex'), 8))::bit(32)::integer = $2::integer)""",
    across="two organizations may have the same number, and then it says too little",
)
async def _is_shared(connection: DatabaseConnection, tenant: TenantId, number: int) -> bool: ...


@query(
    """SELECT a.attname::text FROM pg_constraint k
       JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
       WHERE k.contype = 'p' AND k.conrelid = $1::text::regclass ORDER BY array_position(k.conkey, a.attnum)""",
    across=_CATALOGUE,
)
async def _key(connection: DatabaseConnection, table: str) -> list[str]: ...


# Rows that lie in each other can't be taken piece by piece.
@query(
    """SELECT EXISTS (SELECT 1 FROM pg_constraint
                      WHERE contype = 'f' AND conrelid = $1::text::regclass AND confrelid = conrelid)""",
    across=_CATALOGUE,
)
async def _refers_to_itself(connection: DatabaseConnection, table: str) -> bool: ...
