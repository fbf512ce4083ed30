"""Exports are made as fast as they are read, and leave room for everybody else."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import asyncpg
import psutil
from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import limit, wait_for

# A kilobyte each: many of them show in the memory of a process, and the few still exceed the buffers of a connection.
MANY_ROWS, ROWS = 50_000, 12_000
# Enough for an export that nobody holds back to grow beyond the bound.
WATCHED_SECONDS = 4


async def _fill(url: str, organization: str, rows: int) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            """INSERT INTO locations (organization_id, id, name, description, type, created, updated, search_text, search_grams)
               SELECT $1, 'loc_' || to_char(n, 'FM0000000000'), 'Room ' || n, repeat('x', 900), 'Space', 1, 1, '', '{}'
               FROM generate_series(1, $2) n""",
            organization,
            rows,
        )
    finally:
        await connection.close()


@contextmanager
def unread(organization: Organization, base_url: str) -> Iterator[socket.socket]:
    """An export whose first bytes have come, and of which nobody reads more."""
    address = urlsplit(base_url)
    with closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(limit(60))
        connection.connect((address.hostname, address.port))
        connection.sendall(
            f"GET {organization.path}/locations.ndjson HTTP/1.1\r\nHost: h\r\nX-API-Key: {organization.secret}\r\n\r\n".encode()
        )
        yield connection


def _status(connection: socket.socket) -> int:
    return int(connection.recv(64).split()[1])


def test_a_stalled_reader_holds_little_memory(service: Service, organization: Organization) -> None:
    asyncio.run(_fill(organization.database_url, organization.id, MANY_ROWS))
    api = service.another_api()
    process = psutil.Process(api.process.pid)
    before = process.memory_info().rss
    with unread(organization, api.base_url) as first, unread(organization, api.base_url) as second:
        assert (_status(first), _status(second)) == (200, 200)
        # Others are served meanwhile. Made without being read, the two would take 100 MB.
        client = organization.client(key=organization.secret, base_url=api.base_url)
        end = time.monotonic() + WATCHED_SECONDS
        while time.monotonic() < end:
            assert client.get("/health/live").status_code == 200
            assert process.memory_info().rss - before < 24 * 1024 * 1024


def test_an_organization_has_a_bounded_number_of_exports(
    organization: Organization, other_organization: Organization
) -> None:
    asyncio.run(_fill(organization.database_url, organization.id, ROWS))
    with (
        unread(organization, organization.base_url) as first,
        unread(organization, organization.base_url) as second,
    ):
        assert (_status(first), _status(second)) == (200, 200)
        refused = organization.api.get(f"{organization.path}/locations.csv")
        assert refused.status_code == 429
        assert refused.json()["message"].startswith("Too many requests")
        assert int(refused.headers["Retry-After"]) > 0
        other = other_organization
        assert other.api.get(f"{other.path}/locations.csv").status_code == 200
    again = wait_for("an end of the others", lambda: _export(organization))
    assert again.count("\n") == ROWS + 1


def _export(organization: Organization) -> str | None:
    answer = organization.api.get(f"{organization.path}/locations.csv")
    return answer.text if answer.status_code == 200 else None
