"""Connections that send slowly, or nothing, or read nothing: each has a deadline, and none keeps others out."""

import asyncio
import resource
import socket
from collections.abc import AsyncGenerator

import pytest
from prometheus_client import REGISTRY
from tests.http.server import Peer, Running, echo, running
from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import limit, wait_for_async

from steward.kit.http.server.exchange import Exchange

pytestmark = pytest.mark.long

GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n"


async def test_a_silent_connection_is_closed() -> None:
    async with running(echo, head_seconds=0.1) as server:
        peer = await server.connect()
        assert await peer.rest() == b""


async def test_a_request_head_has_one_deadline_however_slowly_it_arrives() -> None:
    async with running(echo, head_seconds=0.3) as server:
        peer = await server.connect()

        async def trickle() -> None:
            await peer.send(b"GET / HTTP/1.1\r\nHost: h\r\n")
            while True:
                await peer.send(b"X-More: 1\r\n")
                await asyncio.sleep(0.02)  # the pace of the client; its head never ends

        trickling = asyncio.create_task(trickle())
        status, headers, _ = await peer.answer()
        trickling.cancel()
        assert (status, headers["connection"]) == (408, "close")


async def test_a_second_head_has_its_deadline_too() -> None:
    async with running(echo, head_seconds=limit(1), idle_seconds=3600) as server:
        peer = await server.connect()
        await peer.send(GET + b"GET / HTT")
        # The first one was whole when it came.
        assert (await peer.answer())[0] == 200
        assert (await peer.answer())[0] == 408


async def test_an_idle_connection_is_closed_in_the_end() -> None:
    async with running(echo, idle_seconds=0.1) as server:
        peer = await server.connect()
        await peer.send(GET)
        assert (await peer.answer())[0] == 200
        assert await peer.rest() == b""


async def test_a_body_has_to_keep_a_minimum_rate() -> None:
    async with running(echo, body_seconds=0.2, body_bytes_per_second=10_000) as server:
        peer = await server.connect()
        await peer.send(POST)

        async def trickle() -> None:
            while True:
                await peer.send(b"x")
                await asyncio.sleep(0.02)  # the pace of the client; far too slow on any machine

        trickling = asyncio.create_task(trickle())
        status, headers, _ = await peer.answer()
        trickling.cancel()
        assert (status, headers["connection"]) == (408, "close")


async def test_an_unread_answer_is_not_generated_and_times_out() -> None:
    made = 0
    ended = asyncio.Event()

    async def chunks() -> AsyncGenerator[bytes]:
        nonlocal made
        try:
            while True:
                made += 1
                yield b"x" * 65_536
        finally:
            ended.set()

    async def app(exchange: Exchange) -> None:
        await exchange.stream(200, [], chunks())

    async with running(app, stall_seconds=0.3) as server:
        peer = await server.connect(limit=1024)
        await peer.send(GET)
        await asyncio.wait_for(ended.wait(), limit(60))
        # What the system buffers on both sides, and not a chunk more than that.
        assert made * 65_536 < 16 * 1024 * 1024


async def test_unread_answers_stop_further_requests() -> None:
    answered = 0

    async def app(exchange: Exchange) -> None:
        nonlocal answered
        answered += 1
        exchange.respond(200, [], b"x" * 100_000)

    def given_up() -> float:
        return REGISTRY.get_sample_value("steward_connections_closed_total", {"reason": "stalled"}) or 0

    before = given_up()
    async with running(app, stall_seconds=0.3) as server:
        peer = await server.connect(limit=1024)
        peer.writer.write(GET * 1000)
        await wait_for_async("the end of the connection", lambda: given_up() > before)
        assert 0 < answered < 1000


async def _waiting(server: Running, count: int, *addresses: str) -> list[Peer]:
    return [await server.connect(addresses[n % len(addresses)]) for n in range(count)]


async def test_one_address_can_not_have_all_connections() -> None:
    """Its own longest waiting one makes room, so that also somebody behind the same address gets in."""
    async with running(echo, connections_per_address=20) as server:
        held = await _waiting(server, 60, "127.0.0.1")
        other = await server.connect("127.0.0.2")
        await other.send(GET)
        assert (await other.answer())[0] == 200
        for peer in held[:40]:
            assert await peer.rest() == b""
        await held[-1].send(GET)
        assert (await held[-1].answer())[0] == 200


async def test_busy_connections_are_not_closed_for_new_ones() -> None:
    release, at_work = asyncio.Event(), 0

    async def app(exchange: Exchange) -> None:
        nonlocal at_work
        at_work += 1
        await release.wait()
        exchange.respond(200, [], b"")

    async with running(app, connections_per_address=3) as server:
        busy = await _waiting(server, 3, "127.0.0.1")
        for peer in busy:
            await peer.send(GET)
        await wait_for_async("three requests at work", lambda: at_work == 3)
        another = await server.connect()
        status, headers, _ = await another.answer()
        assert (status, headers["connection"]) == (429, "close")
        release.set()
        assert [(await peer.answer())[0] for peer in busy] == [200, 200, 200]


async def test_the_longest_idle_connection_is_closed_for_a_new_one() -> None:
    async with running(echo, connections=30) as server:
        await _waiting(server, 90, *[f"127.0.0.{n}" for n in range(2, 32)])
        newcomer = await server.connect()
        await newcomer.send(GET)
        assert (await newcomer.answer())[0] == 200


async def test_bodies_together_have_a_bound() -> None:
    async with running(echo, body_memory=100_000) as server:
        first, second = await server.connect(), await server.connect()
        head = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n"
        await first.send(head + b"x" * 60_000)
        await second.send(head + b"x" * 70_000)
        assert (await second.answer())[0] == 503
        await first.send(b"x" * 10_000)
        assert (await first.answer())[0] == 200
        third = await server.connect()
        await third.send(head + b"x" * 70_000)
        assert (await third.answer())[0] == 200


@pytest.mark.parametrize(
    "said", [b"", b"GET /health/live HTTP/1.1\r\nHost: h\r\n", POST], ids=["nothing", "head", "body"]
)
def test_a_process_survives_more_connections_than_file_descriptors(
    service: Service, organization: Organization, said: bytes
) -> None:
    """Many systems start a service with 1,024 descriptors. As many sockets used to stop it for minutes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    api = service.another_api()
    port = int(api.base_url.rpartition(":")[2])
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    held: list[socket.socket] = []
    try:
        for number in range(1500):
            connection = socket.socket()
            held.append(connection)
            connection.bind((f"127.0.1.{number % 10 + 1}", 0))
            connection.connect(("127.0.0.1", port))
            connection.sendall(said)
        client = organization.client(key=organization.secret, base_url=api.base_url)
        # Far less than the minutes for which it used to stop.
        assert client.get("/health/live", timeout=limit(30)).status_code == 200
        assert (
            client.get(f"/organizations/{organization.id}/work-orders", timeout=limit(30)).status_code == 200
        )
    finally:
        for connection in held:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
