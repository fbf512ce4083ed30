"""The tables are spread as the register says; what is added later is spread, too."""

import asyncio

import asyncpg
import pytest
from tests.support.databases import fetch, run_commands
from tests.support.servers import drop_database, make_database, own_name

from steward.kit.db.partitions import drop_partitions, make_partitions, partition_name
from steward.kit.db.table_kinds import HISTORY_ROOT, ROOT, TableKind
from steward.slices import TABLE_KINDS
from steward.wiring.schema import migrate

_KINDS = """SELECT c.relname, p.partmethod::text, p.colocationid FROM pg_dist_partition p
            JOIN pg_class c ON c.oid = p.logicalrelid WHERE NOT c.relispartition"""


@pytest.fixture
def own_url(cluster_nodes: list[str], database_url: str):
    yield asyncio.run(make_database(database_url, own_name("spread"), migrated=True))
    asyncio.run(drop_database(database_url, own_name("spread")))


def test_every_table_is_where_its_kind_belongs(cluster_nodes: list[str], database_url: str) -> None:
    rows = {name: (method, place) for name, method, place in fetch(database_url, _KINDS)}
    assert rows.keys() == {table for table, kind in TABLE_KINDS.items() if kind is not TableKind.LOCAL}
    for table, (method, place) in rows.items():
        # By hash, or on every server.
        assert method == ("n" if TABLE_KINDS[table] is TableKind.REFERENCE else "h"), table
        if TABLE_KINDS[table] is TableKind.TENANT:
            assert place == rows[ROOT][1], f"{table} isn't colocated with {ROOT}"
        if TABLE_KINDS[table] is TableKind.HISTORY:
            assert place == rows[HISTORY_ROOT][1]


def test_the_next_migration_distributes_missing_tables_only(own_url: str) -> None:
    answer = "INSERT INTO idempotent_answers VALUES ('org_1', 'key_1', 'once', '', '', 1)"
    # One that no foreign key ties to others.
    asyncio.run(run_commands(own_url, answer, "SELECT undistribute_table('idempotent_answers')"))
    spread = {row[0] for row in fetch(own_url, _KINDS)}
    assert "idempotent_answers" not in spread
    # Without being told to: the database is distributed already.
    assert asyncio.run(migrate(own_url)) == []
    assert {row[0] for row in fetch(own_url, _KINDS)} == spread | {"idempotent_answers"}
    assert [row[0] for row in fetch(own_url, "SELECT organization_id FROM idempotent_answers")] == ["org_1"]
    assert asyncio.run(migrate(own_url, distribute=True)) == []


def test_partitions_are_made_and_dropped_on_all_servers(own_url: str, cluster_nodes: list[str]) -> None:
    """Also with rows that came before there was one."""
    day = 1_900_000_000 - 1_900_000_000 % 86_400

    async def main() -> None:
        connection = await asyncpg.connect(own_url)
        insert = """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
                    VALUES ($1, $2, 'asset.created', 1, 'ast_1', '{}', '', event_position())"""
        for number in range(8):
            id = f"evt_{(day + 5) * 1_000_000:014x}{number:014}"
            await connection.execute(insert, f"org_{number}", id)
        name = partition_name("events", day)
        assert name in await make_partitions(connection, day)
        assert await connection.fetchval(f"SELECT count(*) FROM {name}") == 8
        assert name in await drop_partitions(connection, "events", day + 86_400)
        assert await connection.fetchval("SELECT count(*) FROM events") == 0
        await connection.close()

    asyncio.run(main())
