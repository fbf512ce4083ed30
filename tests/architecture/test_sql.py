"""Every statement runs on the schema that the migrations build, and none forgets the tenant."""

import ast
import re

import asyncpg
from tests.architecture.source import modules
from tests.support.offenders import listed
from tests.support.statements import all_statements

from steward.slices import CONSTRAINTS

_TENANT_TABLES = """SELECT table_name FROM information_schema.columns
                    WHERE table_schema = 'public' AND column_name = 'organization_id'"""
_PRIMARY_KEYS = """SELECT c.conrelid::regclass::text AS table_name, a.attname AS first_column
                   FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
                   WHERE c.contype = 'p' AND c.connamespace = 'public'::regnamespace"""
_NAMED = """SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION SELECT indexname FROM pg_indexes WHERE schemaname = 'public'"""

# What the kit keeps for itself. All others are a slice's, which tells the kit of them where it must know.
KIT_TABLES = {
    "events",
    "processes",
    "duties",
    "idempotent_answers",
    "rate_windows",
    "schema_migrations",
    "search_forms",
}
_TABLE_USED = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN|TABLE)\s+(\w+)")


async def test_every_statement_prepares_against_the_schema(database_url: str) -> None:
    statements = [each.text for each in all_statements() if not each.only_distributed]
    assert statements
    offenders = []
    connection = await asyncpg.connect(database_url)
    try:
        for statement in statements:
            try:
                await connection.prepare(statement)
            except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                # Without the connection nothing can be said of the others.
                if connection.is_closed():
                    raise
                offenders.append(f"{type(error).__name__}: {error}\n  {statement}")
    finally:
        await connection.close()
    assert offenders == [], listed(offenders)


async def test_statements_on_tenant_tables_name_the_organization(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    tables = {row["table_name"] for row in await connection.fetch(_TENANT_TABLES)}
    await connection.close()
    offenders = []
    for statement, across, _ in all_statements():
        touched = tables & set(re.findall(r"\w+", statement))
        named = "organization_id = " in statement or "(organization_id" in statement
        if touched and across is None and not named:
            offenders.append(f"names no organization: {statement}")
        if across is not None and len(across) <= 20:
            offenders.append(f"does not say why it may cross tenants: {statement}")
    assert tables
    assert offenders == [], listed(offenders)


def test_no_write_compares_by_a_simple_case() -> None:
    """Citus loses what `CASE column WHEN value` compares in a write that it passes on; `CASE WHEN column = value` arrives."""
    writes = [text for text, *_ in all_statements() if re.search(r"\b(UPDATE|INSERT|DELETE)\b", text)]
    assert writes
    assert [text for text in writes if re.search(r"\bCASE\s+(?!WHEN\b)", text)] == []


async def test_tables_are_keyed_by_organization_first(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    tables = {row["table_name"] for row in await connection.fetch(_TENANT_TABLES)}
    keys = {row["table_name"]: row["first_column"] for row in await connection.fetch(_PRIMARY_KEYS)}
    await connection.close()
    assert {table: keys.get(table) for table in tables} == dict.fromkeys(tables, "organization_id")


async def test_explained_constraints_exist(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    names = {row[0] for row in await connection.fetch(_NAMED)}
    await connection.close()
    assert set(CONSTRAINTS) <= names


async def test_foreign_keys_that_a_caller_can_break_are_explained(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    rows = await connection.fetch(
        """SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
           AND cardinality(conkey) > 1 AND confdeltype <> 'c'"""
    )
    await connection.close()
    assert {row[0] for row in rows} <= set(CONSTRAINTS)


def test_statements_are_defined_through_one_function() -> None:
    offenders = [
        f"{name}:{node.lineno}"
        for name, tree in modules().items()
        if name != "kit.db.sql"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Sql"
    ]
    assert offenders == [], listed(offenders)


def test_functions_without_a_body_are_statements() -> None:
    """mypy lets those of `queries.py` be empty, since `query` says what they do."""
    empty = [
        (name, node)
        for name, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.AsyncFunctionDef)
        and all(isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) for part in node.body)
    ]
    offenders = [
        f"{name}.{node.name}"
        for name, node in empty
        if not any(ast.unparse(each).startswith("query(") for each in node.decorator_list)
    ]
    assert empty
    assert offenders == [], listed(offenders)


async def test_the_kit_knows_no_table_of_a_slice(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    await connection.close()
    foreign = {row[0] for row in rows} - KIT_TABLES
    offenders = [
        f"{name}:{node.lineno} {table}"
        for name, tree in modules().items()
        if name.split(".")[0] == "kit"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for table in foreign.intersection(_TABLE_USED.findall(node.value))
    ]
    assert foreign
    assert offenders == [], listed(offenders)
