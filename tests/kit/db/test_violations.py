"""Constraint violations of Citus become those of a plain server."""

import asyncpg
import pytest

from steward.kit.db.violations import as_violation, without_shard


@pytest.mark.parametrize(
    ("raised", "message", "kind", "name"),
    [
        (
            asyncpg.InternalServerError,
            'insert or update on table "work_orders_102008" violates foreign key constraint "work_orders_asset_102008"',
            asyncpg.ForeignKeyViolationError,
            "work_orders_asset",
        ),
        (
            asyncpg.UniqueViolationError,
            'duplicate key value violates unique constraint "locations_code_unique_102036"',
            asyncpg.UniqueViolationError,
            "locations_code_unique",
        ),
        (
            asyncpg.InternalServerError,
            'null value in column "position" of relation "events_1" violates not-null constraint',
            asyncpg.NotNullViolationError,
            None,
        ),
    ],
)
def test_violation_keeps_kind_and_name(raised, message, kind, name) -> None:
    said = as_violation(raised(message))
    assert said is not None
    assert (type(said), said.constraint_name) == (kind, name)


@pytest.mark.parametrize("error", [asyncpg.InternalServerError("no such shard"), ValueError("violates")])
def test_other_errors_are_raised_unchanged(error: Exception) -> None:
    assert as_violation(error) is None


def test_a_shortened_shard_name_loses_its_digest_too() -> None:
    assert without_shard("a_long_name_83fd897f_102020") == "a_long_name"
    assert without_shard("assets_pkey_102036") == "assets_pkey"
