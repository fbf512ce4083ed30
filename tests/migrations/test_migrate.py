import asyncio
import itertools
from pathlib import Path

import pytest
from tests.support.databases import migrate_until, run_commands
from tests.support.ports import free_port
from tests.support.processes import StewardProcess
from tests.support.waiting import limit

from steward.migrations.migrate import MigrationError, migration_files, statements
from steward.telemetry.series import layout
from steward.wiring.schema import migrate

_log_numbers = itertools.count(1)


def applied(url: str) -> list[str]:
    return [
        row["name"]
        for row in asyncio.run(run_commands(url, "SELECT name FROM schema_migrations ORDER BY number"))
    ]


def names() -> list[str]:
    return [name for name, _ in migration_files().values()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("-- nothing\n", []),
        ("SELECT 1;", ["SELECT 1"]),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;\nSELECT 2;\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT 1;   \n\n\nSELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("-- a; comment;\nSELECT 1; -- more;\nSELECT 2;\n", ["SELECT 1", "SELECT 2"]),
        ("CREATE TABLE t (\n    a text -- why;\n);\n", ["CREATE TABLE t (\n    a text \n)"]),
        ("SELECT 'a;b';\n", ["SELECT 'a;b'"]),
        (";\n;\n", []),
    ],
)
def test_a_file_is_taken_apart_into_statements(text: str, expected: list[str]) -> None:
    assert statements(text) == expected


def test_files_are_numbered_without_gaps_and_hold_something() -> None:
    assert list(migration_files()) == list(range(1, len(migration_files()) + 1))
    assert all(statements(text) for _, text in migration_files().values())


def test_a_fresh_database_gets_everything_once(empty_url: str) -> None:
    assert asyncio.run(migrate(empty_url)) == names()
    assert asyncio.run(migrate(empty_url)) == []
    assert applied(empty_url) == names()


def test_many_processes_at_once_apply_each_file_once(empty_url: str) -> None:
    async def all_at_once() -> list[list[str]]:
        return await asyncio.gather(*(migrate(empty_url) for _ in range(4)))

    results = asyncio.run(all_at_once())
    assert sorted(map(len, results)) == [0, 0, 0, len(names())]
    assert applied(empty_url) == names()


def test_steward_migrate_may_be_run_twice_and_by_two_at_once(empty_url: str, tmp_path: Path) -> None:
    pieces = [
        StewardProcess(tmp_path / f"{number}.log", "migrate", "--database-url", empty_url)
        for number in range(2)
    ]
    assert [piece.process.wait(limit(120)) for piece in pieces] == [0, 0], [piece.said for piece in pieces]
    assert sorted(piece.said.split() for piece in pieces) == sorted([["nothing", "to", "do"], names()])
    again = StewardProcess(tmp_path / "again.log", "migrate", "--database-url", empty_url)
    assert again.process.wait(limit(120)) == 0
    assert again.said.strip() == "nothing to do"


def test_a_database_newer_than_the_code_is_not_migrated(empty_url: str, tmp_path: Path) -> None:
    asyncio.run(migrate(empty_url))
    newer = "INSERT INTO schema_migrations (number, name) VALUES (9999, '9999_later.sql')"
    asyncio.run(run_commands(empty_url, newer, "SELECT 1"))
    with pytest.raises(MigrationError, match="newer"):
        asyncio.run(migrate(empty_url))
    piece = StewardProcess(tmp_path / "migrate.log", "migrate", "--database-url", empty_url)
    assert piece.process.wait(limit(120)) != 0
    assert "newer" in piece.said
    assert "Traceback" not in piece.said


def test_series_that_had_keys_of_their_own_share_the_layouts_that_readings_find(empty_url: str) -> None:
    keys = {"ast_1": ("Temperature", "Humidity"), "ast_2": ("Temperature", "Humidity"), "ast_3": ("Größe\n",)}
    asyncio.run(migrate_until(empty_url, 19))
    asyncio.run(
        run_commands(
            empty_url,
            "INSERT INTO organizations VALUES ('org_1', 'x', 'Enterprise', 1, 1)",
            """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated)
               VALUES ('org_1', 'aty_1', 'Sensor', true, 600, '[]', 1, 1)""",
            """INSERT INTO assets (organization_id, id, name, asset_type_id, status, metadata, created, updated, search_text,
                                   search_grams, series)
               SELECT 'org_1', 'ast_' || n, 'Sensor', 'aty_1', 'Online', '{}', 1, 1, '', '{}', nullif(n, 4)
               FROM generate_series(1, 4) n""",
            """INSERT INTO telemetry_series (organization_id, asset_id, series, keys)
               VALUES ('org_1', 'ast_1', 1, '{Temperature,Humidity}'), ('org_1', 'ast_2', 2, '{Temperature,Humidity}'),
                      ('org_1', 'ast_3', 3, ARRAY[E'Größe\n'])""",
            "SELECT 1",
        )
    )
    assert "0019_shared_layouts.sql" in asyncio.run(migrate(empty_url))
    stored = asyncio.run(
        run_commands(
            empty_url,
            "SELECT a.id, l.* FROM assets a LEFT JOIN telemetry_layouts l USING (layout) ORDER BY a.id",
        )
    )
    assert {row["id"]: row["digest"] for row in stored} == {
        **{id: layout(names).digest for id, names in keys.items()},
        "ast_4": None,
    }
    assert len({row["layout"] for row in stored}) == 3


def migrate_by_command(url: str, directory: Path) -> tuple[int, list[str]]:
    """How `steward migrate` ended, and the lines that it said."""
    piece = StewardProcess(directory / f"{next(_log_numbers)}.log", "migrate", STEWARD_DATABASE_URL=url)
    return piece.process.wait(limit(120)), piece.said.splitlines()


def test_a_failed_migration_leaves_no_changes_and_says_what_to_do(empty_url: str, tmp_path: Path) -> None:
    """An unreleased version may have made under another number what a file makes now."""
    asyncio.run(run_commands(empty_url, "CREATE TABLE work_orders (id text)", "SELECT 1"))
    code, [line] = migrate_by_command(empty_url, tmp_path)
    assert code != 0
    assert "0003_work_orders.sql" in line
    assert '"work_orders" already exists' in line
    assert "backup" in line
    assert "counters" not in {
        row["tablename"]
        for row in asyncio.run(
            run_commands(empty_url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        )
    }


def test_a_duplicate_migration_number_is_a_one_line_error(empty_url: str, tmp_path: Path) -> None:
    asyncio.run(migrate_until(empty_url, 3))
    asyncio.run(
        run_commands(
            empty_url, "UPDATE schema_migrations SET name = '0002_draft.sql' WHERE number = 2", "SELECT 1"
        )
    )
    code, [line] = migrate_by_command(empty_url, tmp_path)
    assert code != 0
    assert "0002_draft.sql" in line
    assert "0002_manners.sql" in line
    assert "backup" in line
    assert applied(empty_url) == ["0001_identity.sql", "0002_draft.sql"]


def test_a_part_that_starts_without_the_schema_says_what_to_run(empty_url: str, tmp_path: Path) -> None:
    piece = StewardProcess(
        tmp_path / "worker.log", "api", STEWARD_DATABASE_URL=empty_url, STEWARD_PORT=str(free_port())
    )
    assert piece.process.wait(limit(120)) != 0
    [line] = piece.said.splitlines()
    assert "run `steward migrate`" in line


def test_a_plain_server_is_not_distributed_and_says_how_it_could_be(empty_url: str) -> None:
    with pytest.raises(MigrationError, match=r"has no Citus.*CREATE EXTENSION citus"):
        asyncio.run(migrate(empty_url, distribute=True))
    # Nothing was begun.
    assert asyncio.run(migrate(empty_url)) == names()
