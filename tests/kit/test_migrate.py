import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from tests.support.processes import Piece

from steward.kit.migrate import MigrationError, all_files, migrate, statements

_numbers = itertools.count(1)


async def run(url: str, *commands: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        for command in commands[:-1]:
            await connection.execute(command)
        return await connection.fetch(commands[-1])
    finally:
        await connection.close()


@pytest.fixture
def empty_url(database_url: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    name = f"empty_{next(_numbers)}"
    asyncio.run(run(database_url, f"CREATE DATABASE {name}"))
    yield database_url.replace("/steward?", f"/{name}?")
    asyncio.run(run(database_url, f"DROP DATABASE {name} WITH (FORCE)"))


def applied(url: str) -> list[str]:
    return [
        row["name"] for row in asyncio.run(run(url, "SELECT name FROM schema_migrations ORDER BY number"))
    ]


def names() -> list[str]:
    return [name for name, _ in all_files().values()]


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
    assert list(all_files()) == list(range(1, len(all_files()) + 1))
    assert all(statements(text) for _, text in all_files().values())


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
        Piece(tmp_path / f"{number}.log", "migrate", "--database-url", empty_url) for number in range(2)
    ]
    assert [piece.process.wait(60) for piece in pieces] == [0, 0], [piece.said for piece in pieces]
    assert sorted(piece.said.split() for piece in pieces) == sorted([["nothing", "to", "do"], names()])
    again = Piece(tmp_path / "again.log", "migrate", "--database-url", empty_url)
    assert again.process.wait(60) == 0
    assert again.said.strip() == "nothing to do"


def test_a_database_newer_than_the_code_is_left_alone(empty_url: str, tmp_path: Path) -> None:
    asyncio.run(migrate(empty_url))
    newer = "INSERT INTO schema_migrations (number, name) VALUES (9999, '9999_later.sql')"
    asyncio.run(run(empty_url, newer, "SELECT 1"))
    with pytest.raises(MigrationError, match="newer"):
        asyncio.run(migrate(empty_url))
    piece = Piece(tmp_path / "migrate.log", "migrate", "--database-url", empty_url)
    assert piece.process.wait(60) != 0
    assert "newer" in piece.said
    assert "Traceback" not in piece.said


def test_a_file_that_fails_leaves_nothing_behind(empty_url: str) -> None:
    asyncio.run(run(empty_url, "CREATE TABLE work_orders (id text)", "SELECT 1"))
    with pytest.raises(asyncpg.DuplicateTableError):
        asyncio.run(migrate(empty_url))
    assert "counters" not in {
        row["tablename"]
        for row in asyncio.run(run(empty_url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
    }
