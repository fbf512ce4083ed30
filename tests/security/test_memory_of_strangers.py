"""Whatever callers write, a process keeps little of it."""

import gc
import tracemalloc
from types import SimpleNamespace

import msgspec
import pytest
from tests.http.server import echo, running
from tests.support.waiting import wait_for_async

from steward.ingest.decoding import decode_items
from steward.kit.db.sql import ALL
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Problem
from steward.kit.events.publish import statement_with_events
from steward.kit.http.decoding import read_body, read_query
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.http_connection import HttpConnection
from steward.kit.http.server.parser import RequestParser
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.wiring.routes import document_routes
from steward.work_orders.queries import LISTING, WORK_ORDERS

KEPT_AT_MOST = 4 * 1024 * 1024
STRANGERS = 20_000


class AnyQuery(PageQuery, frozen=True):
    q: str | None = None


class Nothing(msgspec.Struct, frozen=True):
    pass


def _media_type(number: int) -> None:
    with pytest.raises(Problem):
        read_body(Nothing, f"text/{number:0>1000}", b"{}")


def _query(number: int) -> None:
    read_query(AnyQuery, f"q={number:0>2000}")


def _short_query(number: int) -> None:
    read_query(AnyQuery, f"q={number:0>100}")


def _bad_query(number: int) -> None:
    with pytest.raises(Problem):
        read_query(AnyQuery, f"q{number:0>100}=1")


def _columns(number: int) -> None:
    chosen = tuple(column for bit, column in enumerate(WORK_ORDERS.columns) if number >> bit & 1)
    statement_with_events(WORK_ORDERS.update(chosen or WORK_ORDERS.columns), len(WORK_ORDERS.columns) + 3)


def _filters(number: int) -> None:
    names = ("status", "priority", "assignee_id", "location_id", "asset_id", "updated_after", "q")
    LISTING.statement(tuple(name for bit, name in enumerate(names) if number >> bit & 1))


@pytest.mark.parametrize(
    ("ask", "statements"),
    [
        (_media_type, 0),
        (_query, 0),
        (_short_query, 0),
        (_bad_query, 0),
        (_columns, 128 + 256),
        (_filters, 128),
    ],
)
def test_memory_for_caller_supplied_values_is_bounded(ask, statements) -> None:
    ask(1)
    before = len(ALL)
    tracemalloc.start()
    try:
        for number in range(STRANGERS):
            ask(number)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < KEPT_AT_MOST
    assert len(ALL) - before <= statements


_REFUSED = msgspec.json.encode({"metadata": {f"k{number}": "v" for number in range(900)}})


async def _batch() -> object:
    route = next(route for route in document_routes() if route.operation_id == "batchWorkOrders")
    who = Caller(tenant=TenantId("org_1"), plan="Enterprise", permissions=ALL_PERMISSIONS)
    call = SimpleNamespace(caller=who)
    items = [msgspec.Raw(b'{"create":%b}' % _REFUSED)] * 100
    return await route.handler.__self__._planned(call, items)  # type: ignore[attr-defined]


async def _readings() -> object:
    return await decode_items([b'{"assetId":"ast_1","values":%b}' % _REFUSED] * 100)


@pytest.mark.parametrize("read", [_batch, _readings])
async def test_refused_items_are_freed_during_the_batch(read) -> None:
    """Each item is a hundred kilobytes once it is read."""
    await read()
    tracemalloc.start()
    try:
        refused = await read()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused
    assert kept < 1024 * 1024


_POST = b"POST / HTTP/1.1\r\nHost: h\r\n"


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET /?" + b"a" * 55_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n",
        _POST + b"X: " + b"a" * 40_000 + b"\r\n\r\n",
        _POST + b"Content-Length: x\r\n\r\n",
        _POST + b"Content-Length: 2000000\r\n\r\n" + b"x" * 1_100_000,
        _POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        _POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        _POST,
        _POST + b"Content-Length: 10\r\n\r\nhalf",
    ],
    ids=["good", "414", "431", "400", "413", "400 in the body", "upgrade", "half a head", "half a body"],
)
async def test_a_closed_connection_is_freed_without_garbage_collection(request_bytes: bytes) -> None:
    """What the collector of cycles has to find stays for long: in a process that serves, it seldom runs."""
    kinds = (HttpConnection, RequestParser, Exchange, Problem)

    def left() -> list[str]:
        return [type(each).__name__ for each in gc.get_objects() if isinstance(each, kinds)]

    async with running(echo) as server:
        gc.collect()
        gc.disable()
        try:
            for _ in range(3):
                peer = await server.connect()
                await peer.send(request_bytes)
                peer.writer.write_eof()
                await peer.rest()
                peer.close()
            await wait_for_async("nothing of them", lambda: not left())
        finally:
            gc.enable()
