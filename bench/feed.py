"""What a page of the change feed costs among many events, by that among few.

One organization has 1,000 events, another 200,000, both spread over the thirty days that are kept. Their pages are asked for by turns, over
one connection each: the first, one in the middle, the empty one at the end, and one of a type that one event in fifty has. `ratio`
is the median among many by that among few; at most 1.25 is taken for the same.
"""

import asyncio
import base64
import statistics
import time
from typing import Any
from urllib.parse import urlencode

import msgspec

from bench.databases import connected, tidy
from bench.load import Answer, BrokenRunError, Caller
from bench.processes import Server, fresh_server
from bench.scenario import Expected, Run, Scenario, Suite
from bench.tenants import make_founder
from steward.events.feed.actions import LISTING
from steward.events.feed.model import FeedPlace
from steward.events.feed.rules import written
from steward.events.model import RETENTION_DAYS
from steward.kit.db.cursors import Cursors
from steward.kit.db.partitions import DAY_SECONDS, first_id, make_partitions
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption

_EVENTS = (1_000, 200_000)
_PAGES = 100
_LIMIT = 100
_SAME = 1.25
# What is compiled, prepared and cached on the first times.
_WARM_UP = 5
# One event in so many is of a type that somebody asks for.
_RARE = 50
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


async def _make_reader(url: str, events: int) -> Reader:
    """Its events were written by many transactions, over all the days that are kept."""
    founder = await make_founder(url)
    now, each = clock.now(), max(1, events // _TRANSACTIONS)
    async with connected(url) as connection:
        for begin in range(0, events, each):
            moment = now - (RETENTION_DAYS - 1) * DAY_SECONDS * (1 - begin / events)
            await make_partitions(connection, int(moment))
            id, last = first_id("evt", moment), begin + each
            await connection.execute(_STORE, founder.id, id, int(moment), begin + 1, last, _RARE, timeout=600)
        total = await connection.fetchval(
            "SELECT count(*) FROM events WHERE organization_id = $1", founder.id
        )
        middle, end = [
            FeedPlace(*await connection.fetchrow(_PLACE, founder.id, offset))
            for offset in (total // 2, total - 1)
        ]
    return Reader(TenantId(founder.id), founder.keys[0], total, middle, end)


def _queries(reader: Reader, cursors: Cursors) -> dict[str, dict[str, str]]:
    """The pages that are asked for."""

    def after(place: Any) -> str:
        return cursors.seal(reader.tenant, LISTING, {}, written(place))

    return {
        "first": {},
        "middle": {"after": after(reader.middle)},
        "end": {"after": after(reader.end)},
        "rare": {"type": "workorder.created", "limit": "10"},
    }


class _Follower:
    def __init__(self, port: int, reader: Reader) -> None:
        self._caller = Caller(port, {"X-API-Key": reader.key})
        self._path = f"/v2/organizations/{reader.tenant}/events?"

    def ask(self, query: dict[str, str]) -> Answer:
        asked = urlencode({"order": "asc", "limit": str(_LIMIT), **query})
        return self._caller.ask("GET", self._path + asked)


def _measure(port: int, readers: list[Reader], cursors: Cursors, run: Run) -> dict[str, Any]:
    followers = [_Follower(port, reader) for reader in readers]
    asked = [_queries(reader, cursors) for reader in readers]
    figures: dict[str, Any] = {}
    for kind in run.each([*asked[0]]):
        by_turns = [
            [
                follower.ask(queries[kind]).milliseconds
                for follower, queries in zip(followers, asked, strict=True)
            ]
            for _ in range(_WARM_UP + _PAGES)
        ]
        few, many = (round(statistics.median(took), 2) for took in zip(*by_turns[_WARM_UP:], strict=True))
        figures[kind] = {"few_ms": few, "many_ms": many, "ratio": round(many / few, 2)}
    return figures


def _walk(port: int, reader: Reader) -> dict[str, int]:
    """How fast one reader gets on who asks for page after page with the cursor of the one before."""
    follower = _Follower(port, reader)
    query: dict[str, str] = {}
    events, began = 0, time.perf_counter()
    for _ in range(_PAGES):
        page = msgspec.json.decode(follower.ask(query).body)
        events += len(page["data"])
        query = {"after": page["lastEvaluatedKey"]}
    return {"limit": _LIMIT, "events_per_second": round(events / (time.perf_counter() - began))}


def feed(server: Server, run: Run) -> dict[str, Any]:
    readers = [asyncio.run(_make_reader(server.url, number)) for number in _EVENTS]
    tidy(server.url)
    # Without a worker, which would drop the oldest days in the middle of it.
    with server.api() as (port, _):
        key = base64.b64decode((server.folder / "data" / "secret.key").read_text())
        figures = _measure(port, readers, Cursors(Encryption(key)), run)
        walk = _walk(port, readers[-1])
    if any(one["ratio"] > _SAME for one in figures.values()):
        raise BrokenRunError(f"pages cost more among many events: {figures}")
    return {**figures, "events": [reader.events for reader in readers], "walk": walk}


SUITE = Suite(fresh_server, {"feed": Scenario(feed, Expected(30))})
