"""Devices for the connectivity check, in a time of their own.

It lies so far ahead that no worker, which goes by the clock on the wall, ever finds them due.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
from tests.assets.house import House
from tests.support.organizations import Organization

from steward.assets.connectivity.jobs import check_connectivity
from steward.kit.db.pool import Pool

T = TypeVar("T")

START = 4_000_000_000
KEEP_ALIVE = 600

# As a reading leaves it: only one of a device that isn't connected asks for a look.
_REPORT = """UPDATE assets AS a SET last_seen = $3, last_telemetry = '{"Temperature": 21}',
                 connectivity_due = CASE WHEN a.connection_status OR NOT ty.is_iot_device THEN a.connectivity_due
                                         ELSE coalesce(a.connectivity_due, $3) END
             FROM asset_types ty
             WHERE a.organization_id = $1 AND a.id = ANY ($2::text[])
                   AND ty.organization_id = $1 AND ty.id = a.asset_type_id"""


def with_pool(database_url: str, work: Callable[[Pool], Awaitable[T]], size: int = 4) -> T:
    async def main() -> T:
        pool = Pool(database_url, size)
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(main())


class Building(House):
    """A house whose type is a device's."""

    def __init__(self, org: Organization) -> None:
        super().__init__(org)
        self.type_id = self.new_type("Sensor", isIotDevice=True, keepAlive=KEEP_ALIVE)["id"]

    def sql(self, statement: str, *args: Any) -> list[Any]:
        async def run() -> list[Any]:
            connection = await asyncpg.connect(self.org.database_url)
            try:
                return await connection.fetch(statement, *args)
            finally:
                await connection.close()

        return asyncio.run(run())

    def report(self, *ids: str, at: int = START) -> None:
        self.sql(_REPORT, self.org.id, list(ids), at)

    def check(self, now: int, **more: int) -> int:
        return with_pool(self.org.database_url, lambda pool: check_connectivity(pool, now, **more))

    def sensor(self, connected: bool | None = None, **fields: Any) -> str:
        """A new device for which this was recorded when it reported at the START."""
        id: str = self.make(**fields)["id"]
        if connected is not None:
            self.report(id)
            self.check(START)
            if not connected:
                self.check(START + 2 * KEEP_ALIVE)
            assert self.read(id)["connectionStatus"] is connected
        return id

    def read(self, id: str) -> dict[str, Any]:
        return self.api.get(self.one(id)).json()["data"]

    def change(self, id: str, **changes: Any) -> None:
        answer = self.api.patch(self.one(id), json=changes)
        assert answer.status_code == 200, answer.text

    def change_type(self, type_id: str, **changes: Any) -> None:
        answer = self.api.patch(f"/v2{self.org.path}/asset-types/{type_id}", json=changes)
        assert answer.status_code == 200, answer.text

    def told(self, id: str) -> list[dict[str, Any]]:
        """What was told of a device's status, oldest first."""
        return [event for event in self.all_told() if event["data"]["object"]["id"] == id]

    def all_told(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        query = {"type": "asset.status.changed", "limit": 100}
        while True:
            page = self.api.get(f"/v2{self.org.path}/events", params=query).json()
            found += page["data"]
            if page["lastEvaluatedKey"] is None:
                return found[::-1]
            query["lastEvaluatedKey"] = page["lastEvaluatedKey"]

    def previous(self, id: str) -> list[dict[str, Any]]:
        return [event["data"]["previousAttributes"] for event in self.told(id)]
