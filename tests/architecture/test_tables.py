"""Every table has a kind, and keeps to what a sharded server asks of it."""

import asyncpg
import pytest

from steward.kit.db.table_kinds import TableKind, distribution_column
from steward.migrations.distribution import parents_first
from steward.slices import TABLE_KINDS

_TABLES = """SELECT c.relname FROM pg_class c
             WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace"""
# Of each unique index and primary key, its table and its columns; an expression has none.
_UNIQUE = """SELECT c.relname, i.indexrelid::regclass::text,
                    ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey::int2[]))
             FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
             WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace"""
_FOREIGN = """SELECT r.relname, f.relname, c.conname, c.confdeltype::text, c.confupdtype::text,
                     ARRAY(SELECT a.attname::text FROM unnest(c.conkey) n
                           JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = n)
              FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid
              WHERE c.contype = 'f' AND NOT r.relispartition AND r.relnamespace = 'public'::regnamespace"""
_PRIMARY_KEYS = """SELECT r.relname FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
                   WHERE c.contype = 'p' AND NOT r.relispartition AND r.relnamespace = 'public'::regnamespace"""
# Those that an error may name.
_NAMES = """SELECT c.conname FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
            WHERE NOT r.relispartition AND r.relnamespace = 'public'::regnamespace
            UNION SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class r ON r.oid = i.indrelid
            WHERE i.indisunique AND NOT r.relispartition AND r.relnamespace = 'public'::regnamespace"""
_UNLOGGED = """SELECT relname FROM pg_class
               WHERE relkind IN ('r', 'p') AND relpersistence = 'u' AND relnamespace = 'public'::regnamespace"""
_TRIGGERS = """SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
               AND tgrelid::regclass::text = ANY ($1::text[])"""

# A sharded server appends a number, and shortens what gets too long with it.
_LONGEST_NAME = 54


_BY_TENANT = (TableKind.TENANT, TableKind.HISTORY)


def _is(table: str, kind: TableKind) -> bool:
    return TABLE_KINDS[table] is kind


@pytest.fixture
async def migrated(migrated_url: str):
    connection = await asyncpg.connect(migrated_url)
    yield connection
    await connection.close()


async def test_the_register_lists_exactly_the_existing_tables(migrated: asyncpg.Connection) -> None:
    assert {name for (name,) in await migrated.fetch(_TABLES)} == set(TABLE_KINDS)


async def test_unique_indexes_include_the_tenant(
    migrated: asyncpg.Connection,
) -> None:
    wrong = [
        index
        for table, index, columns in await migrated.fetch(_UNIQUE)
        if TABLE_KINDS[table] in _BY_TENANT and distribution_column(table, TABLE_KINDS[table]) not in columns
    ]
    assert wrong == []


async def test_foreign_keys_stay_within_a_shard(migrated: asyncpg.Connection) -> None:
    for table, target, name, on_delete, on_update, columns in await migrated.fetch(_FOREIGN):
        # Neither SET NULL nor SET DEFAULT; and keys never change.
        assert on_delete in "acr", name
        assert on_update == "a", name
        if _is(table, TableKind.TENANT) and _is(target, TableKind.TENANT):
            assert distribution_column(table, TABLE_KINDS[table]) in columns, name
        elif _is(table, TableKind.TENANT):
            assert _is(target, TableKind.REFERENCE), name
        else:
            assert TABLE_KINDS[table] is TABLE_KINDS[target], (
                f"{name} leads from one kind of table to another"
            )


async def test_tables_can_be_distributed_one_after_the_other(migrated: asyncpg.Connection) -> None:
    parents: dict[str, set[str]] = {}
    for table, target, *_ in await migrated.fetch(_FOREIGN):
        if table != target:
            parents.setdefault(table, set()).add(target)
    assert set(parents_first(TABLE_KINDS, parents)) == set(TABLE_KINDS)


async def test_shards_can_be_moved(migrated: asyncpg.Connection) -> None:
    """Which takes a primary key and a log of changes on every table that has shards."""
    spread = {table for table in TABLE_KINDS if not _is(table, TableKind.LOCAL)}
    assert spread <= {name for (name,) in await migrated.fetch(_PRIMARY_KEYS)}
    assert not spread & {name for (name,) in await migrated.fetch(_UNLOGGED)}
    assert await migrated.fetch(_TRIGGERS, sorted(spread)) == []


async def test_names_have_room_for_the_number_of_a_shard(migrated: asyncpg.Connection) -> None:
    assert [name for (name,) in await migrated.fetch(_NAMES) if len(name) > _LONGEST_NAME] == []


def test_parents_come_first() -> None:
    parents = {"c": {"b", "organizations"}, "b": {"a"}, "a": {"organizations"}}
    assert parents_first("cab", parents, done=["organizations"]) == ["a", "b", "c"]
    assert parents_first(["c", "a"], parents, done=["organizations", "b"]) == ["a", "c"]
    with pytest.raises(ValueError, match="in a circle: a, b"):
        parents_first("ab", {"a": {"b"}, "b": {"a"}})
