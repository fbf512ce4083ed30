"""The span of a statement is called by what it does and by a table that there is."""

import pytest
from tests.support.statements import all_statements

from steward.kit.tracing.statements import described
from steward.slices import TABLE_KINDS


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("SELECT id FROM assets WHERE id = $1", "SELECT assets"),
        ("SELECT id FROM processes FOR UPDATE SKIP LOCKED", "SELECT processes"),
        ("SELECT d.id FROM deliveries d FOR UPDATE OF d", "SELECT deliveries"),
        ("SELECT id FROM assets FOR NO KEY UPDATE", "SELECT assets"),
        ("SELECT pg_snapshot_xmin(s) FROM pg_current_snapshot() s", "SELECT"),
        ("SELECT a FROM unnest($1::text[]) a JOIN roles USING (id)", "SELECT roles"),
        ("SELECT a FROM unnest($1::text[]) a WHERE a IS DISTINCT FROM known", "SELECT"),
        ("WITH own AS MATERIALIZED (SELECT 1) SELECT * FROM own CROSS JOIN roles", "SELECT roles"),
        ("(SELECT id FROM assets) UNION ALL (SELECT id FROM roles)", "SELECT assets"),
        ("WITH due AS (SELECT id FROM deliveries FOR UPDATE) SELECT * FROM due", "SELECT deliveries"),
        (
            "WITH due AS (SELECT id FROM alerts FOR UPDATE SKIP LOCKED) UPDATE alerts SET open = true",
            "UPDATE alerts",
        ),
        ("UPDATE ONLY assets SET name = $1", "UPDATE assets"),
        (
            "INSERT INTO counters (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET n = counters.n + 1",
            "INSERT counters",
        ),
        ("INSERT INTO alerts SELECT * FROM alert_rules", "INSERT alerts"),
        ("DELETE FROM refresh_tokens WHERE expires < $1", "DELETE refresh_tokens"),
        ("BEGIN", "BEGIN"),
        ("ROLLBACK TO SAVEPOINT a", "ROLLBACK"),
    ],
)
def test_a_statement_is_named_by_its_operation(query: str, name: str) -> None:
    assert described(query)[0] == name


def test_every_statement_names_an_existing_table() -> None:
    named = {text: described(text) for text, *_ in all_statements()}
    tables = {text: attributes.get("db.collection.name") for text, (_, attributes) in named.items()}
    # Beside ours, those of the server itself, and one partition that is looked into.
    known = {*TABLE_KINDS, "telemetry_recent_default"}
    unknown = {table for table in tables.values() if table and table not in known}
    assert {table for table in unknown if not str(table).startswith("pg_")} == set()
    assert [text for text, (name, _) in named.items() if not name] == []
    assert sum(table is not None for table in tables.values()) > 500
