"""A request that was cut short is never acted on."""

import socket
from urllib.parse import urlsplit

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.service import Service
from tests.support.waiting import limit

ROWS = b"name,assetTypeId\r\n" + b"".join(b"Pump %d,%%s\r\n" % number for number in range(1000))


def _cut_short(organization: Organization, framing: bytes, body: bytes, *, listen: bool) -> bytes:
    """Sends the body and then the end of the connection; what the service says to that, if anybody stays to listen."""
    address = urlsplit(organization.base_url)
    head = (
        f"POST {organization.path}/assets/import HTTP/1.1\r\nHost: {address.netloc}\r\nX-API-Key: {organization.secret}\r\n"
        "Content-Type: text/csv\r\n"
    )
    with socket.create_connection((address.hostname, address.port), timeout=limit(60)) as connection:
        connection.sendall(head.encode() + framing + b"\r\n" + body)
        if not listen:
            return b""
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while data := connection.recv(65536):
            answer += data
        return answer


def _chunked(text: bytes) -> bytes:
    """A whole chunk at a row's end, and no last one."""
    return b"%x\r\n%b\r\n" % (len(text), text)


def _assets(organization: Organization) -> list[dict[str, object]]:
    return data_of(organization.api.get(f"{organization.path}/assets"))


@pytest.fixture
def rows(organization: Organization) -> bytes:
    types = data_of(organization.api.get(f"/v2{organization.path}/asset-types"))
    return ROWS.replace(b"%s", types[0]["id"].encode())


def test_a_chunked_body_without_its_end_is_refused(
    service: Service, organization: Organization, rows: bytes
) -> None:
    half = rows[: rows.index(b"Pump 501")]
    answer = _cut_short(organization, b"Transfer-Encoding: chunked\r\n", _chunked(half), listen=True)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b"BadRequest" in answer
    assert _assets(organization) == []


def test_a_body_shorter_than_announced_is_refused(
    service: Service, organization: Organization, rows: bytes
) -> None:
    half = rows[: rows.index(b"Pump 501")]
    before = len(service.api.said)
    answer = _cut_short(organization, b"Content-Length: %d\r\n" % len(rows), half, listen=True)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert _assets(organization) == []
    assert "Traceback" not in service.api.said[before:]


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_work_stops_when_the_sender_disconnects(
    service: Service, organization: Organization, rows: bytes, framing: str
) -> None:
    half = rows[: rows.index(b"Pump 501")]
    before = len(service.api.said)
    if framing == "chunked":
        _cut_short(organization, b"Transfer-Encoding: chunked\r\n", _chunked(half), listen=False)
    else:
        _cut_short(organization, b"Content-Length: %d\r\n" % len(rows), half, listen=False)
    # Whole, it goes through: it was the end that was missing.
    whole = organization.api.post(
        f"{organization.path}/assets/import", content=rows, headers={"Content-Type": "text/csv"}
    )
    assert data_of(whole)["created"] == 1000, whole.text
    assert "Traceback" not in service.api.said[before:]
