"""What the tests of bookings need again and again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import httpx
from tests.support.organizations import Organization

from steward.bookings.jobs import release_no_shows
from steward.kit.db.pool import Pool

MINUTE = 60
HOUR = 3600
DAY = 86_400


def now() -> int:
    return int(time.time())


def tomorrow() -> int:
    """A full hour that is still to come."""
    return now() // HOUR * HOUR + DAY


def new_resource(org: Organization, **fields: Any) -> dict[str, Any]:
    return org.created("resources", {"name": "Room Elbe", "type": "Room", **fields})


def post_booking(
    org: Organization, resource: dict[str, Any], start: int, end: int, **more: Any
) -> httpx.Response:
    body = {"resourceId": resource["id"], "startTime": start, "endTime": end, **more}
    return org.api.post(f"{org.path}/bookings", json=body)


def new_booking(
    org: Organization, resource: dict[str, Any], start: int, end: int, **more: Any
) -> dict[str, Any]:
    answer = post_booking(org, resource, start, end, **more)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def read(org: Organization, booking: dict[str, Any]) -> dict[str, Any]:
    return org.api.get(f"{org.path}/bookings/{booking['id']}").json()["data"]


def patch(org: Organization, booking: dict[str, Any], **changes: Any) -> httpx.Response:
    return org.api.patch(f"{org.path}/bookings/{booking['id']}", json=changes)


def move(org: Organization, booking: dict[str, Any], verb: str) -> httpx.Response:
    return org.api.post(f"{org.path}/bookings/{booking['id']}/{verb}")


def events(org: Organization, kind: str) -> list[dict[str, Any]]:
    """The envelopes of one type, newest first."""
    answer = org.api.get(f"/v2{org.path}/events", params={"type": kind, "limit": 100})
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def envelope(org: Organization, kind: str, told: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """What an event of this type has to look like; its identifier and moment are its own."""
    return {
        "id": told["id"],
        "type": kind,
        "organizationId": org.id,
        "created": told["created"],
        "data": data,
        "livemode": True,
    }


def shown(record: dict[str, Any], fields: str) -> dict[str, Any]:
    return {field: record[field] for field in fields.split()}


WHOLE = "id resourceId resourceName locationId bookedBy startTime endTime status created"


def with_pool(url: str, work: Callable[[Pool], Awaitable[Any]], size: int = 4) -> Any:
    async def main() -> Any:
        pool = Pool(url, size)
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(main())


def release(org: Organization, moment: int) -> int:
    """What the worker does, as if it were this moment."""
    return with_pool(org.database_url, lambda pool: release_no_shows(pool, moment))


def run_sql(org: Organization, statement: str, *values: Any) -> list[asyncpg.Record]:
    async def main() -> list[asyncpg.Record]:
        connection = await asyncpg.connect(org.database_url)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()

    return asyncio.run(main())
