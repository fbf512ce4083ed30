"""Spreads the tables over the servers of a Citus cluster, by the kind of each; on a plain server, nothing.

What is spread already is left alone, so that the step may be done again and again: after every migration of a database that
is spread, and after one that broke off.
"""

from collections.abc import Iterable, Mapping

from steward.kit.db.connection import DatabaseConnection, is_distributed
from steward.kit.db.table_kinds import ROOT, TableKind, colocated_with, distribution_column

TableKinds = Mapping[str, TableKind]

_DISTRIBUTED = "SELECT c.relname FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid"
_REFERENCES = """SELECT DISTINCT c.conrelid::regclass::text, c.confrelid::regclass::text
                 FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
                 WHERE c.contype = 'f' AND c.conrelid <> c.confrelid AND NOT r.relispartition
                   AND NOT relation_is_a_known_shard(r.oid)
                   AND r.relnamespace = current_schema()::regnamespace"""
_TABLES = """SELECT relname FROM pg_class
             WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
               AND NOT relation_is_a_known_shard(oid)
               AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')"""

# Which number a default stands for would depend on the server that a row is stored on.
_SAY_POSITION = "ALTER TABLE events ALTER COLUMN position DROP DEFAULT"
_END_OTHERS = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'steward' AND pid <> pg_backend_pid()"""

# One shard after the other, as what follows in the same transaction may need; and no table of ours becomes one of Citus's
# local ones because a foreign key leads from it. A plain server takes both for settings of somebody else.
SEQUENTIAL = (
    "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
    "SET LOCAL citus.enable_local_reference_table_foreign_keys TO off",
)


class UnregisteredKindError(Exception):
    """No slice declares this table, so its kind is unknown."""


async def distribute_tables(connection: DatabaseConnection, kinds: TableKinds) -> list[str]:
    """Spreads what isn't spread yet, parents first, each table in a transaction of its own; returns their names."""
    first = not await is_distributed(connection)
    spread = []
    while (table := await _next_table(connection, kinds)) is not None:
        async with connection.transaction():
            await _spread(connection, table, kinds[table])
        spread.append(table)
    for table in reversed(spread):
        # The rows that were there stand on the shards now; what is left of them here would only take room.
        await connection.execute(f"SELECT truncate_local_data_after_distributing_table('{table}')")
    if first:
        await connection.execute(_SAY_POSITION)
        # They have found a plain database when they came.
        await connection.execute(_END_OTHERS)
    return spread


async def distribute_new_tables(connection: DatabaseConnection, kinds: TableKinds) -> None:
    """The same within the transaction of a migration that added tables."""
    while (table := await _next_table(connection, kinds)) is not None:
        await _spread(connection, table, kinds[table])


async def _spread(connection: DatabaseConnection, table: str, kind: TableKind) -> None:
    for setting in SEQUENTIAL:
        await connection.execute(setting)
    if kind is TableKind.REFERENCE:
        await connection.execute(f"SELECT create_reference_table('{table}')")
        return
    beside = colocated_with(table, kind) or "none"
    await connection.execute(
        f"SELECT create_distributed_table('{table}', '{distribution_column(table, kind)}', colocate_with => '{beside}')"
    )


async def _next_table(connection: DatabaseConnection, kinds: TableKinds) -> str | None:
    """A table whose parents are spread already."""
    tables = {name for (name,) in await connection.fetch(_TABLES)}
    if unknown := tables - kinds.keys():
        raise UnregisteredKindError(f"no slice declares these tables: {', '.join(sorted(unknown))}")
    wanted = {name for name in tables if kinds[name] is not TableKind.LOCAL}
    parents: dict[str, set[str]] = {}
    for child, parent in await connection.fetch(_REFERENCES):
        parents.setdefault(child, set()).add(parent)
    for table in wanted:
        beside = colocated_with(table, kinds[table])
        if beside is not None and kinds[table] is not TableKind.REFERENCE:
            parents.setdefault(table, set()).add(beside)
    done = {name for (name,) in await connection.fetch(_DISTRIBUTED)}
    return next(iter(parents_first(wanted, parents, done)), None)


def parents_first(
    tables: Iterable[str], parents: Mapping[str, set[str]], done: Iterable[str] = ()
) -> list[str]:
    """Those that aren't done, each after the tables that it refers to."""
    ordered = list(done)
    waiting = sorted(set(tables) - set(ordered), key=lambda table: (table != ROOT, table))
    count = len(ordered)
    while waiting:
        ready = next((table for table in waiting if parents.get(table, set()) <= set(ordered)), None)
        if ready is None:
            raise ValueError(f"these tables refer to each other in a circle: {', '.join(waiting)}")
        waiting.remove(ready)
        ordered.append(ready)
    return ordered[count:]
