"""Malformed HTTP over plain sockets: refused or understood, never a 5xx, never a hang, and nothing acted on that isn't whole."""

import re
from collections.abc import Iterator

import pytest
from tests.security.http_corpus import BODIES, BODY, CLOSED, HEADS, Body, Entry
from tests.security.raw_socket import HintListener, exchange
from tests.support.answers import data_of
from tests.support.organizations import Organization, close_clients
from tests.support.service import Service


def _named(entries: list[Entry] | list[Body]) -> list[object]:
    return [pytest.param(entry, id=entry.name) for entry in entries]


@pytest.fixture(scope="module")
def own_organization(running_service: Service) -> Iterator[Organization]:
    """One organization for all: whatever made a work order would be seen by its number."""
    yield Organization(running_service.base_url, running_service.database_url, "Enterprise")
    close_clients()


def _judge(heard: HintListener, allowed: frozenset[int], *, closes: bool) -> None:
    assert all(status < 500 or status in {501, 505} for status in heard.statuses), heard
    assert 101 not in heard.statuses
    if not heard.final:
        assert heard.closed, "neither an answer nor an end within ten seconds"
        assert CLOSED in allowed
        return
    assert heard.final[0] in allowed, heard.raw[:300]
    if closes or b"\r\nconnection: close\r\n" in heard.raw.lower():
        assert heard.closed, "goes on with a connection on which nobody knows what comes next"


def _lives(service: Service) -> None:
    heard = exchange(service.base_url, b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
    assert heard.statuses == [200]


@pytest.mark.parametrize("entry", _named(HEADS))
def test_a_request_head_is_parsed_or_refused(running_service: Service, entry: Entry) -> None:
    heard = exchange(running_service.base_url, entry.raw, end=entry.end, until_closed=entry.closes)
    _judge(heard, entry.allowed, closes=entry.closes)
    _lives(running_service)


def _orders(organization: Organization) -> int:
    return len(data_of(organization.api.get(f"{organization.path}/work-orders", params={"limit": 100})))


def _post(organization: Organization, entry: Body) -> bytes:
    version, headers = (
        (b"1.0", b"Transfer-Encoding: chunked\r\n")
        if entry.headers == b"HTTP/1.0"
        else (b"1.1", entry.headers)
    )
    head = f"POST {organization.path}/work-orders HTTP/".encode() + version + b"\r\nHost: a\r\n"
    key = f"X-API-Key: {organization.secret}\r\nContent-Type: application/json\r\n".encode()
    return head + key + headers + b"\r\n" + entry.body


@pytest.mark.parametrize("entry", _named(BODIES))
def test_an_incomplete_body_has_no_effect(
    running_service: Service, own_organization: Organization, entry: Body
) -> None:
    own_organization = (
        Organization(running_service.base_url, running_service.database_url, "Enterprise")
        if _orders(own_organization) > 90
        else own_organization
    )
    before = _orders(own_organization)
    # Who closes their side of a whole request may go unanswered; who does so in the middle shows that there is no more.
    cut = 408 in entry.allowed
    heard = exchange(
        running_service.base_url, _post(own_organization, entry), end=cut, until_closed=entry.closes
    )
    _judge(heard, entry.allowed, closes=entry.closes)
    made = _orders(own_organization) - before
    assert entry.makes is None or made == int(entry.makes)
    if heard.final:
        assert made == (1 if heard.final[0] == 201 else 0), "the answer and what happened differ"
    _lives(running_service)


# Two readings of where a request ends: one of them hides a second request in the body of the first.
SMUGGLED = [
    b"Content-Length: {n}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
    b"Transfer-Encoding: chunked\r\nContent-Length: {n}\r\n\r\n0\r\n\r\n{inner}",
    b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
    b"Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{inner}",
    b"Transfer-Encoding : chunked\r\nContent-Length: {n}\r\n\r\n0\r\n\r\n{inner}",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\nContent-Length: {n}\r\n\r\n0\r\n\r\n{inner}",
    b"X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: {n}\r\n\r\n0\r\n\r\n{inner}",
    b"Content-Length: 0\r\nContent-Length: {n}\r\n\r\n{inner}",
    b"Content-Length: 0, {n}\r\n\r\n{inner}",
]


@pytest.mark.parametrize("number", range(len(SMUGGLED)))
def test_no_request_hides_in_another(
    running_service: Service, own_organization: Organization, number: int
) -> None:
    path = f"{own_organization.path}/work-orders".encode()
    key = own_organization.secret.encode()
    inner = b"POST %s HTTP/1.1\r\nHost: a\r\nX-API-Key: %s\r\nContent-Length: 20\r\n\r\n%s" % (
        path,
        key,
        BODY,
    )
    rest = SMUGGLED[number].replace(b"{n}", b"%d" % (len(inner) + 5)).replace(b"{inner}", inner)
    before = _orders(own_organization)
    # The outer one goes where nobody needs a key, so that only the inner one could make something.
    outer = b"POST /authentications/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    heard = exchange(running_service.base_url, outer + rest, end=True, until_closed=True)
    assert all(status < 500 or status == 501 for status in heard.statuses)
    assert _orders(own_organization) == before
    assert 201 not in heard.statuses


def test_requests_in_a_row_are_answered_in_their_order(
    running_service: Service, own_organization: Organization
) -> None:
    def get(path: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: a\r\nX-API-Key: {own_organization.secret}\r\n\r\n".encode()

    body = b'{"title":"in a row"}'
    post = f"POST {own_organization.path}/work-orders HTTP/1.1\r\nHost: a\r\nX-API-Key: {own_organization.secret}\r\n".encode()
    post += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    row = get("/health/live") + get("/nowhere") + post + get(own_organization.path) + get("/nowhere")
    assert exchange(running_service.base_url, row, answers=5).statuses == [200, 404, 201, 200, 404]


def test_expect_100_continue_is_answered(running_service: Service, own_organization: Organization) -> None:
    head = f"POST {own_organization.path}/work-orders HTTP/1.1\r\nHost: a\r\nX-API-Key: {own_organization.secret}\r\n".encode()
    head += b"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n"
    assert exchange(running_service.base_url, head, BODY).statuses in ([100, 201], [201])


def test_expect_100_continue_is_refused_at_once_without_permission(
    running_service: Service, own_organization: Organization
) -> None:
    head = (
        f"POST {own_organization.path}/work-orders HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n".encode()
    )
    heard = exchange(running_service.base_url, head + b"Content-Length: 2000000\r\n\r\n")
    assert heard.final[0] in {401, 413, 417}


def test_answers_name_neither_server_nor_version(running_service: Service) -> None:
    for raw in (b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n", b"nonsense\r\n\r\n"):
        heard = exchange(running_service.base_url, raw)
        assert heard.statuses
        assert not re.search(rb"(?im)^(server|x-powered-by):", heard.raw)
