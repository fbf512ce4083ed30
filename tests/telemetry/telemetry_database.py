"""An organization with assets, and readings that are put where the intake would put them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import asyncpg

from steward.asset_types.model import PropertyType, TelemetryProperty
from steward.kit.db.partitions import make_partitions
from steward.kit.db.pool import Pool
from steward.kit.db.sharding import tenant_number
from steward.kit.domain.ids import new_id
from steward.kit.security.caller import TenantId
from steward.telemetry import actions
from steward.telemetry.jobs import keep_history
from steward.telemetry.model import History, HistoryQuery
from steward.telemetry.series import layout

TENANT = TenantId("org_1")
# Stands for it in the history.
NUMBER = tenant_number(TENANT)
# The beginning of an hour, a day and a week.
HOUR = 604_800 * 3000 // 3600
START = HOUR * 3600
RETENTION_DAYS = 400

Vals = Sequence[float | None]

_PROPERTIES = [
    TelemetryProperty(key="Temperature", name="Room temperature", type=PropertyType.FLOAT, unit="°C"),
    TelemetryProperty(key="Humidity", name="Relative humidity", type=PropertyType.INTEGER, unit="%"),
    TelemetryProperty(key="Open", name="Window", type=PropertyType.BOOLEAN),
]
KEYS = [known.key for known in _PROPERTIES]

_ASSET = """INSERT INTO assets (organization_id, id, name, asset_type_id, status, metadata, created, updated, search_text,
                                search_grams)
            VALUES ($1, $2, 'Sensor', 'aty_1', 'Online', '{}', 1, 1, '', '{}')"""
_LAYOUT = """INSERT INTO telemetry_layouts (organization_id, layout, keys, digest)
             VALUES ($1, nextval('telemetry_layout_numbers'), $2, $3)
             ON CONFLICT (organization_id, digest) DO UPDATE SET keys = excluded.keys RETURNING layout"""
_SERIES = (
    """UPDATE assets SET series = $4, layout = $3 WHERE organization_id = $1 AND id = $2 RETURNING series"""
)
_INSERT = """INSERT INTO telemetry_recent AS r (tenant, series, arrived, second, vals)
             VALUES ($1, $2, $3::integer, $4::bigint - $3::integer * 3600::bigint, $5)
             ON CONFLICT (series, arrived, second, tenant) DO UPDATE SET vals = later_values(r.vals, excluded.vals)"""


class Row(NamedTuple):
    """A reading of a series as it is stored."""

    arrived: int
    at: int
    vals: Vals


class TelemetryDatabase:
    """`db` is the connection that tests look through."""

    def __init__(self, url: str, db: asyncpg.Connection, pool: Pool) -> None:
        self.url = url
        self.db = db
        self.pool = pool

    @classmethod
    async def open(cls, url: str) -> "TelemetryDatabase":
        database = cls(url, await asyncpg.connect(url), Pool(url, 4))
        await database.db.execute("INSERT INTO organizations VALUES ($1, 'x', 'Enterprise', 1, 1)", TENANT)
        async with database.pool.transaction() as tx:
            # Through a connection of ours, which knows how jsonb is written.
            await tx._connection.execute(
                """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated)
                   VALUES ($1, 'aty_1', 'Sensor', true, 60, $2, 1, 1)""",
                TENANT,
                _PROPERTIES,
            )
        for name in await database.partitions("telemetry_recent") - {"telemetry_recent_default"}:
            await database.db.execute(f"DROP TABLE {name}")  # those of today
        await make_partitions(database.db, START)
        return database

    async def close(self) -> None:
        await self.pool.close()
        await self.db.close()

    async def asset(self) -> str:
        asset_id = new_id("ast")
        await self.db.execute(_ASSET, TENANT, asset_id)
        return asset_id

    async def reporting(self, keys: Sequence[str] = KEYS) -> tuple[str, int]:
        """An asset that has a series."""
        asset_id = await self.asset()
        number = await self.db.fetchval(_LAYOUT, TENANT, list(keys), layout(keys).digest)
        series = await self.db.fetchval("SELECT nextval('telemetry_series_numbers')::integer")
        return asset_id, await self.db.fetchval(_SERIES, TENANT, asset_id, number, series)

    async def arrive(self, series: int, rows: Iterable[Row]) -> None:
        for row in rows:
            await self.db.execute(_INSERT, NUMBER, series, *row)

    async def fold(self, now: int, *, patience: float = 60, **more: Any) -> None:
        await keep_history(self.url, now, RETENTION_DAYS, patience=patience, **more)

    async def read(
        self, asset_id: str, start: int, end: int, *, resolution: int = 2000, **more: Any
    ) -> History:
        query = HistoryQuery(from_=start, to=end, resolution=resolution, **more)
        # Late enough for all that arrives in a test.
        return await actions.read_history(self.pool, TENANT, asset_id, query, end + 86_400)

    async def exact(self, asset_id: str, start: int = START, hours: int = 3) -> dict[str, dict[int, float]]:
        """Every value by key and second, read hour by hour and so finely that no two share a point."""
        found: dict[str, dict[int, float]] = {}
        for begin in range(start, start + hours * 3600, 1800):
            shown = await self.read(asset_id, begin, begin + 1800)
            assert shown.bucket_seconds == 1
            for each in shown.series:
                assert all(point.count == 1 for point in each.points)
                found.setdefault(each.key, {}).update({p.timestamp: p.average for p in each.points})
        return found

    async def partitions(self, table: str) -> set[str]:
        rows = await self.db.fetch(
            "SELECT c.relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = $1::regclass",
            table,
        )
        return {row[0] for row in rows}

    async def count(self, table: str) -> int:
        return int(await self.db.fetchval(f"SELECT count(*) FROM {table}"))
