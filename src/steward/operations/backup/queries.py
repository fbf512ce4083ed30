"""Reads and fills tables as a whole, whatever version made them: the catalogue says which there are."""

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.sql import sql
from steward.operations.backup.model import DumpedPartition, DumpedTable

_CATALOGUE = "the catalogue has no tenants"
_OURS = """c.relnamespace = current_schema()::regnamespace
           AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"""

_TABLES = sql(
    f"""SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND {_OURS}
        GROUP BY c.relname ORDER BY c.relname""",
    across=_CATALOGUE,
)
_REFERENCES = sql(
    f"""SELECT DISTINCT c.relname, p.relname FROM pg_constraint k
        JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
        WHERE k.contype = 'f' AND k.conrelid <> k.confrelid AND NOT c.relispartition AND {_OURS}""",
    across=_CATALOGUE,
)
# The default partitions are made by the migrations.
_PARTITIONS = sql(
    f"""SELECT p.relname, c.relname, pg_get_expr(c.relpartbound, c.oid)
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
        WHERE c.relkind = 'r' AND c.relispartition AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT' AND {_OURS}
        ORDER BY p.relname, c.relname""",
    across=_CATALOGUE,
)
_SEQUENCES = sql(
    "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema()", across=_CATALOGUE
)
_SET_SEQUENCE = sql("SELECT setval(quote_ident($1)::regclass, $2, true)", across=_CATALOGUE)
_EXPECTED_ROWS = sql(
    f"""SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint FROM pg_class c
        WHERE c.relkind = 'r' AND {_OURS}""",
    across=_CATALOGUE,
)
_ANYTHING = sql(
    f"SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND {_OURS} ORDER BY 1 LIMIT 1",
    across=_CATALOGUE,
)
_HAS_MIGRATIONS = sql("SELECT to_regclass('schema_migrations') IS NOT NULL", across=_CATALOGUE)
_MIGRATIONS = sql("SELECT number, name FROM schema_migrations ORDER BY number")
_SECRET = sql("SELECT name, value FROM service_secrets ORDER BY name LIMIT 1")
_SKIP_POSITIONS = sql(
    "UPDATE event_positions SET last = last + $1",
    across="positions are numbers of transactions, which tenants share",
)
_HAS_POSITIONS = sql("SELECT to_regclass('event_positions') IS NOT NULL", across=_CATALOGUE)


async def begin_snapshot(connection: DatabaseConnection) -> None:
    """Begins a transaction that sees the database as it is at this moment, until it ends.

    The locks come first: they don't make the moment, and what has waited for them can be seen.
    """
    names = [name for name, _ in await connection.run(_TABLES)]
    await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    if names:
        await connection.execute(f"LOCK TABLE {', '.join(map(_quoted, names))} IN ACCESS SHARE MODE")


async def tables(connection: DatabaseConnection) -> list[DumpedTable]:
    return [DumpedTable(name, columns) for name, columns in await connection.run(_TABLES)]


async def references(connection: DatabaseConnection) -> dict[str, set[str]]:
    """Each table with those that it refers to."""
    found: dict[str, set[str]] = {}
    for child, parent in await connection.run(_REFERENCES):
        found.setdefault(child, set()).add(parent)
    return found


async def partitions(connection: DatabaseConnection) -> list[DumpedPartition]:
    return [DumpedPartition(*row) for row in await connection.run(_PARTITIONS)]


async def sequences(connection: DatabaseConnection) -> dict[str, int | None]:
    return dict(await connection.run(_SEQUENCES))


async def expected_rows(connection: DatabaseConnection) -> int:
    """By what the server's statistics say."""
    return int((await connection.run(_EXPECTED_ROWS))[0][0])


async def migrations(connection: DatabaseConnection) -> dict[int, str]:
    if not (await connection.run(_HAS_MIGRATIONS))[0][0]:
        return {}
    return dict(await connection.run(_MIGRATIONS))


async def any_secret(connection: DatabaseConnection) -> tuple[str, bytes] | None:
    """What it is called, and as it is sealed."""
    rows = await connection.run(_SECRET)
    return (rows[0][0], rows[0][1]) if rows else None


async def anything(connection: DatabaseConnection) -> str | None:
    """The name of something that stands in the database."""
    rows = await connection.run(_ANYTHING)
    return rows[0][0] if rows else None


async def copy_out(
    connection: DatabaseConnection, table: DumpedTable, write: Callable[[bytes], Awaitable[None]]
) -> int:
    status = await connection.copy_from_query(
        f"SELECT {_listed(table.columns)} FROM {_quoted(table.name)}",
        output=write,
        format="text",
        encoding="utf-8",
    )
    return int(status.rpartition(" ")[2])


async def copy_in(connection: DatabaseConnection, table: DumpedTable, rows: AsyncIterable[bytes]) -> int:
    status = await connection.copy_to_table(
        table.name, source=rows, columns=table.columns, format="text", encoding="utf-8"
    )
    return int(status.rpartition(" ")[2])


async def make_partition(connection: DatabaseConnection, partition: DumpedPartition) -> None:
    await connection.execute(
        f"CREATE TABLE IF NOT EXISTS {_quoted(partition.name)} PARTITION OF {_quoted(partition.table)} {partition.bounds}"
    )


async def empty_tables(connection: DatabaseConnection, names: Iterable[str]) -> None:
    """Of what the migrations have put there."""
    await connection.execute(f"TRUNCATE {', '.join(map(_quoted, names))}")


async def count(connection: DatabaseConnection, table: str) -> int:
    return int(await connection.fetchval(f"SELECT count(*) FROM {_quoted(table)}"))


async def set_sequence(connection: DatabaseConnection, name: str, last: int) -> None:
    await connection.run(_SET_SEQUENCE, name, last)


async def skip_positions(connection: DatabaseConnection, number: int) -> None:
    if (await connection.run(_HAS_POSITIONS))[0][0]:
        await connection.run(_SKIP_POSITIONS, number)


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(map(_quoted, columns))


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
