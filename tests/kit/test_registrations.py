"""Slices say how their tables are cut and what follows from an event; a missing registration fails instead of being skipped."""

import subprocess
import sys

import asyncpg
import pytest

from steward.kit.db.partitions import (
    Partitioning,
    UnregisteredTableError,
    first_hour,
    make_partitions,
    register_partitions,
)
from steward.kit.events.outbox import EventConsumer, outbox_ctes, register_consumer


def _run(code: str) -> str:
    """What a process says in which nothing but the kit was loaded."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr


def test_a_statement_with_events_is_refused_without_a_listener() -> None:
    error = _run("from steward.kit.events.outbox import outbox_ctes; outbox_ctes(2)")
    assert "NoConsumersError: no consumer of events is registered" in error


def test_a_schema_is_not_migrated_while_its_partitions_are_unknown(database_url: str) -> None:
    error = _run(
        f"import asyncio; from steward.migrations.migrate import migrate; asyncio.run(migrate({database_url!r}, {{}}))"
    )
    assert (
        "no partitioning is registered for "
        "deliveries, delivery_attempts, events, telemetry_hours, telemetry_recent"
    ) in error


async def test_one_table_that_nobody_registered_is_enough(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        async with connection.transaction():
            await connection.execute("CREATE TABLE forgotten (at bigint) PARTITION BY RANGE (at)")
            with pytest.raises(UnregisteredTableError, match=r"registered for forgotten$"):
                await make_partitions(connection, 0)
            await connection.execute("DROP TABLE forgotten")
    finally:
        await connection.close()


def test_importing_the_wiring_loads_all_registrations() -> None:
    code = "import steward.wiring; from steward.kit.events.outbox import outbox_ctes; outbox_ctes(2)"
    assert _run(code) == ""


def test_a_registration_twice_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="events are registered twice"):
        register_partitions("events", Partitioning("id", first_hour, 3600, 1, "%Y"))
    with pytest.raises(ValueError, match="registered twice: queued_deliveries"):
        register_consumer("queued_deliveries", EventConsumer(lambda _time: ""))


def test_deliveries_are_queued_by_the_statement_that_stores_events() -> None:
    ctes = outbox_ctes(2)
    assert "INSERT INTO events" in ctes
    assert "INSERT INTO deliveries" in ctes
