"""Organizations with few and with many events, spread over as many days as events are kept."""

import asyncpg
import msgspec

from bench.tenants import make_founder
from steward.events.feed.model import FeedPlace
from steward.events.model import RETENTION_DAYS
from steward.kit.db.partitions import DAY_SECONDS, first_id, make_partitions
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

# One event in so many is of a type that somebody asks for.
RARE = 50
_TRANSACTIONS = 100

# Like the events of an asset: some 700 bytes.
_STORE = """
    INSERT INTO events (organization_id, id, type, created, about, attributes, body)
    SELECT $1, $2 || lpad(to_hex(n), 6, '0') || right($1, 8), type, $3, 'ast_' || n, '{}',
           convert_to(format('{"id":"%s","type":"%s","data":{"object":{"id":"ast_%s","name":"%s"}}}',
                             n, type, n, repeat('x', 600)), 'UTF8')
    FROM generate_series($4::int, $5::int) n,
         LATERAL (SELECT CASE WHEN n % $6 = 0 THEN 'workorder.created' ELSE 'asset.updated' END AS type) kind"""
_PLACE = """SELECT position, id FROM events WHERE organization_id = $1
            ORDER BY position, id OFFSET $2 LIMIT 1"""


class Reader(msgspec.Struct, frozen=True):
    """An organization with a key, and places in its feed."""

    tenant: TenantId
    key: str
    events: int
    middle: FeedPlace
    end: FeedPlace


async def make_reader(url: str, events: int) -> Reader:
    """Its events were written by many transactions, over all the days that are kept."""
    founder = await make_founder(url, work_orders=0)
    connection = await asyncpg.connect(url)
    now = clock.now()
    try:
        each = max(1, events // _TRANSACTIONS)
        for number in range(events // each):
            moment = now - (RETENTION_DAYS - 1) * DAY_SECONDS * (1 - number * each / events)
            await make_partitions(connection, int(moment))
            begin = number * each + 1
            id = first_id("evt", moment)
            await connection.execute(
                _STORE, founder.id, id, int(moment), begin, begin + each - 1, RARE, timeout=600
            )
        total = await connection.fetchval(
            "SELECT count(*) FROM events WHERE organization_id = $1", founder.id
        )
        middle, end = [
            FeedPlace(*await connection.fetchrow(_PLACE, founder.id, offset))
            for offset in (total // 2, total - 1)
        ]
    finally:
        await connection.close()
    return Reader(TenantId(founder.id), founder.keys[0], total, middle, end)
