"""What a database holds, whatever version made it: the catalogue says."""

from collections.abc import Collection, Iterable

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.query import query, sql
from steward.operations.backup.model import BackupManifest

_CATALOGUE = "the catalogue has no tenants"
_OURS = """c.relnamespace = current_schema()::regnamespace
           AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"""

# With the table that each is a partition of, or itself.
_RELATIONS = sql(
    f"""SELECT c.relname, coalesce(r.relname, c.relname), greatest(c.relpages, 0)
        FROM pg_class c LEFT JOIN pg_class r ON r.oid = pg_partition_root(c.oid)
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND {_OURS} ORDER BY 1""",
    across=_CATALOGUE,
)
_TABLES = sql(
    f"""SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND {_OURS}
        ORDER BY 1""",
    across=_CATALOGUE,
)
_REFERENCES = sql(
    f"""SELECT DISTINCT c.relname, p.relname FROM pg_constraint k
        JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
        WHERE k.contype = 'f' AND k.conrelid <> k.confrelid AND NOT c.relispartition AND {_OURS}""",
    across=_CATALOGUE,
)
_EXPORT_SNAPSHOT = sql("SELECT pg_export_snapshot()", across=_CATALOGUE)
_HAS_MIGRATIONS = sql("SELECT to_regclass('schema_migrations') IS NOT NULL", across=_CATALOGUE)
_MIGRATIONS = sql("SELECT number, name FROM schema_migrations ORDER BY number")


async def begin_snapshot(connection: DatabaseConnection, tables: Iterable[str]) -> str:
    """Begins a transaction that sees the database as it is at this moment, until it ends; returns the snapshot's name.

    The locks come before the snapshot, so that no table changes its form in between. The servers of a Citus cluster have no
    snapshot in common, so writers have to wait there.
    """
    mode = "SHARE" if connection.is_distributed else "ACCESS SHARE"
    await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    await connection.execute(f"LOCK TABLE {', '.join(map(quoted, tables))} IN {mode} MODE")
    return str((await connection.run(_EXPORT_SNAPSHOT))[0][0])


async def relations(connection: DatabaseConnection) -> dict[str, tuple[str, int]]:
    """Tables, views and sequences: of each the table that it is a partition of, or itself, and about how many pages it has."""
    return {name: (root, pages) for name, root, pages in await connection.run(_RELATIONS)}


async def tables(connection: DatabaseConnection, known: Collection[str]) -> list[str]:
    """Those of ours, without their partitions."""
    return [name for (name,) in await connection.run(_TABLES) if name in known]


async def references(connection: DatabaseConnection) -> dict[str, set[str]]:
    """Each table with those that it refers to."""
    found: dict[str, set[str]] = {}
    for child, parent in await connection.run(_REFERENCES):
        found.setdefault(child, set()).add(parent)
    return found


@query(
    """SELECT n.nspname FROM pg_namespace n WHERE n.nspname <> current_schema()
       AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
       AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = n.oid AND d.deptype = 'e') ORDER BY 1""",
    across=_CATALOGUE,
)
async def other_schemas(connection: DatabaseConnection) -> list[str]: ...


@query("SELECT current_setting('server_version_num')::integer / 10000, current_schema()", across=_CATALOGUE)
async def server(connection: DatabaseConnection) -> tuple[int, str | None]:
    """Its major version, and the schema that our tables are in."""


async def migrations(connection: DatabaseConnection) -> dict[int, str]:
    if not (await connection.run(_HAS_MIGRATIONS))[0][0]:
        return {}
    return dict(await connection.run(_MIGRATIONS))


@query("SELECT name, value FROM service_secrets ORDER BY name LIMIT 1")
async def any_secret(connection: DatabaseConnection) -> tuple[str, bytes] | None:
    """The name of a stored secret, and its encrypted value."""


async def count(connection: DatabaseConnection, tables: Iterable[str]) -> dict[str, int]:
    return {
        table: int(await connection.fetchval(f"SELECT count(*) FROM {quoted(table)}")) for table in tables
    }


def finish_restore(manifest: BackupManifest, *, skipped_positions: int) -> str:
    """What psql runs after the dump, in the same transaction: the rows of each table are counted, and event positions continue
    far behind those of the backup."""
    schema = quoted(manifest.schema)
    checks = "".join(
        f"""IF (SELECT count(*) FROM {schema}.{quoted(table)}) <> {expected} THEN
                RAISE EXCEPTION '{table} has not the {expected} rows of the backup'; END IF;\n"""
        for table, expected in manifest.rows.items()
    )
    positions = f"UPDATE {schema}.event_positions SET last = last + {skipped_positions};\n"
    # Distributing the tables has dropped it.
    default = f"ALTER TABLE {schema}.events ALTER COLUMN position SET DEFAULT {schema}.event_position();\n"
    return (
        f"DO $$ BEGIN\n{checks}END $$;\n"
        f"{positions if 'event_positions' in manifest.rows else ''}"
        f"{default if manifest.distributed else ''}"
    )


def quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
