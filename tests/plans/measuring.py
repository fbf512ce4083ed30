"""A database that counts what its statements read, with the plan made for the values or for any."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import msgspec

from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.sql import Row, Sql
from steward.kit.db.transaction import Transaction

MODES = ("force_custom_plan", "force_generic_plan")


class Reading(msgspec.Struct, frozen=True):
    """What one statement read: pages of the database, and rows that scans came by, whether these were wanted or not."""

    sql: str
    pages: int
    rows: int
    plan: dict[str, Any]


class MeasuringDatabase(Transaction):
    """One connection, and nothing that is done stays."""

    def __init__(self, connection: DatabaseConnection) -> None:
        super().__init__(connection)
        self.readings: list[Reading] = []
        self._names: dict[str, str] = {}

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        # Settings have no plan.
        if not sql.startswith("SET "):
            self.readings.append(await self._measure(sql, args))
        return await self._connection.run(sql, *args)

    async def _measure(self, sql: str, args: tuple[Any, ...]) -> Reading:
        connection = self._connection
        if sql not in self._names:
            self._names[sql] = f"measured_{len(self._names)}"
            await connection.execute(f"PREPARE {self._names[sql]} AS {sql}")
        values = ", ".join(_literal(value) for value in args)
        call = f"{self._names[sql]} ({values})" if values else self._names[sql]
        await connection.execute("SAVEPOINT measured")
        rows = await asyncpg.Connection.fetch(
            connection, f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE {call}"
        )
        await connection.execute("ROLLBACK TO SAVEPOINT measured")
        plan = json.loads(rows[0][0])[0]["Plan"]
        scanned = sum(
            (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
            for node in nodes(plan)
            if "Relation Name" in node
        )
        return Reading(sql, plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], round(scanned), plan)

    async def constant(self, expression: str) -> Any:
        """Beside what is measured."""
        return await asyncpg.Connection.fetchval(self._connection, f"SELECT {expression}")

    async def drop_index(self, name: str) -> None:
        """It is there again when this database is left."""
        await self._connection.execute(f"DROP INDEX {name}")

    def take(self) -> list[Reading]:
        """What was read since this was asked last."""
        taken, self.readings = self.readings, []
        return taken


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for part in plan.get("Plans", ()) for node in nodes(part))]


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        value = "{" + ",".join(_element(part) for part in value) + "}"
    return "'" + str(value).replace("'", "''") + "'"


def _element(value: Any) -> str:
    return '"' + str(value).replace("\\", r"\\").replace('"', r"\"") + '"'


@asynccontextmanager
async def measuring(url: str, mode: str) -> AsyncIterator[MeasuringDatabase]:
    connection = await connect(url, seconds=120)
    try:
        await connection.execute(f"SET plan_cache_mode = {mode}")
        await connection.execute("BEGIN")
        yield MeasuringDatabase(connection)
    finally:
        await connection.execute("ROLLBACK")
        await connection.close()
