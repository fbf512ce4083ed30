"""What is in the database at the end, read past the service."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import asyncpg
import msgspec
from tests.support.databases import fetch_rows

from steward.kit.db.sharding import tenant_number
from steward.kit.security.caller import TenantId
from steward.telemetry.queries import READ_HISTORY

_SUBSCRIBED = ("workorder.", "booking.")


class StoredOrder(msgspec.Struct, frozen=True):
    id: str
    number: int
    status: str


class Stored(msgspec.Struct):
    # Several under one title where something was made twice.
    orders: dict[str, list[StoredOrder]]
    bookings: dict[str, tuple[str, int, int, str]]
    buffers: dict[str, int]
    events: dict[str, str]
    # How many events of each type there are about each record.
    told: dict[str, Counter[str]]


_STATEMENTS = (
    "SELECT id, number, title, status FROM work_orders WHERE organization_id = $1 ORDER BY number",
    "SELECT id, resource_id, start_time, end_time, status FROM bookings WHERE organization_id = $1",
    "SELECT id, buffer_minutes FROM bookable_resources WHERE organization_id = $1",
    "SELECT id, type, about FROM events WHERE organization_id = $1",
)


async def read_stored(url: str, organization: str) -> Stored:
    orders, bookings, rooms, events = [await fetch_rows(url, one, organization) for one in _STATEMENTS]
    by_title: dict[str, list[StoredOrder]] = defaultdict(list)
    for row in orders:
        by_title[row["title"]].append(StoredOrder(row["id"], row["number"], row["status"]))
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for row in events:
        told[row["about"]][row["type"]] += 1
    return Stored(
        by_title,
        {id: (resource, start, end, status) for id, resource, start, end, status in bookings},
        {room: minutes * 60 for room, minutes in rooms},
        {row["id"]: row["type"] for row in events if row["type"].startswith(_SUBSCRIBED)},
        told,
    )


async def read_feed(url: str, organization: str) -> list[str]:
    """Every event in the order of the feed."""
    statement = "SELECT id FROM events WHERE organization_id = $1 ORDER BY position, id"
    return [row["id"] for row in await fetch_rows(url, statement, organization)]


async def read_readings(url: str, organization: str, since: int) -> dict[tuple[str, int], tuple[float, int]]:
    """Value and count by asset and second, also of what the service doesn't show."""
    connection = await asyncpg.connect(url)
    try:
        series = await connection.fetch(
            """SELECT a.id, a.series, array_position(l.keys, 'Temperature') AS position
               FROM assets a JOIN telemetry_layouts l ON l.organization_id = $1 AND l.layout = a.layout
               WHERE a.organization_id = $1 AND a.series IS NOT NULL""",
            organization,
        )
        tenant = tenant_number(TenantId(organization))
        found: dict[tuple[str, int], tuple[float, int]] = {}
        for asset, number, position in series:
            rows = await connection.fetch(READ_HISTORY, *_everything(number, position, since), tenant)
            found |= {(asset, row["timestamp"]): (row["min"], row["count"]) for row in rows}
        return found
    finally:
        await connection.close()


def _everything(series: int, position: int, since: int) -> Sequence[object]:
    """The arguments of the service's own statement, second by second and whenever it arrived."""
    until = since + 30 * 86400
    return series, [position], since, until, 1, 2**31 - 1, since // 3600, until // 3600
