"""`steward mcp --http`: every caller with a key of their own."""

import contextlib
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.mcp.assistants import ACCEPT, answer, http_server, over_http, refusal
from tests.support.waiting import limit

pytestmark = pytest.mark.long

LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list_work_orders", "arguments": {}},
}


def credentials(organization) -> dict[str, str]:
    return {"X-API-Key": organization.secret, "X-Steward-Org": organization.id}


def post(address: str, headers: dict[str, str], message: dict[str, Any] = LIST_TOOLS) -> httpx.Response:
    return httpx.post(address, json=message, headers={**ACCEPT, **headers}, timeout=limit(60))


async def test_each_caller_sees_their_own_organization(organization, other_organization, tmp_path) -> None:
    own = organization.work_orders.create("Ours")
    others = other_organization.work_orders.create("Theirs")
    bearer = {
        "Authorization": f"Bearer {other_organization.secret}",
        "X-Steward-Org": other_organization.id,
    }
    crossed = {"X-API-Key": organization.secret, "X-Steward-Org": other_organization.id}
    with http_server(organization, tmp_path) as address:
        async with over_http(address, credentials(organization)) as client:
            page = await answer(client, "list_work_orders")
            assert [order["id"] for order in page["data"]] == [own["id"]]
            assert "404" in await refusal(client, "read_work_order", workOrderId=others["id"])
        async with over_http(address, bearer) as client:
            page = await answer(client, "list_work_orders")
            assert [order["id"] for order in page["data"]] == [others["id"]]
        async with over_http(address, crossed) as client:
            assert "403" in await refusal(client, "list_work_orders")


def test_refused_callers(organization, tmp_path) -> None:
    known = credentials(organization)
    refusals = [
        ({}, 401, "Send an API key"),
        ({"X-Steward-Org": organization.id}, 401, "Send an API key"),
        ({**known, "X-API-Key": ""}, 401, "Send an API key"),
        ({"Authorization": f"Basic {organization.secret}"}, 401, "Send an API key"),
        ({"X-API-Key": organization.secret}, 400, "X-Steward-Org"),
        ({**known, "Origin": "https://evil.example"}, 403, "Invalid Origin"),
        ({**known, "Host": "evil.example"}, 421, "Invalid Host"),
    ]
    with http_server(organization, tmp_path) as address:
        for headers, status, said in refusals:
            answered = post(address, headers)
            assert (answered.status_code, said in answered.text) == (status, True), (headers, answered.text)
            assert organization.secret not in answered.text
        assert post(address, known).status_code == 200
        assert post(address, {**known, "Origin": address.removesuffix("/mcp")}).status_code == 200


def test_there_is_no_stream_to_listen_to(organization, tmp_path) -> None:
    """By the protocol, 405 tells a client that the server has nothing to say by itself."""
    known = credentials(organization)
    with http_server(organization, tmp_path) as address:
        for headers in (known, {**known, "X-API-Key": "made-up"}):
            for method in ("GET", "DELETE"):
                answered = httpx.request(method, address, headers={**ACCEPT, **headers}, timeout=limit(60))
                assert (answered.status_code, answered.headers["Allow"]) == (405, "POST")
        assert httpx.get(address, headers=ACCEPT, timeout=limit(60)).status_code == 401
        assert (
            httpx.get(f"{address}/other", headers={**ACCEPT, **known}, timeout=limit(60)).status_code == 404
        )


def test_it_ends_while_a_request_is_yet_to_come(organization, tmp_path) -> None:
    with contextlib.ExitStack() as held, http_server(organization, tmp_path) as address:
        where = urlsplit(address)
        connection = held.enter_context(socket.create_connection((where.hostname or "", where.port or 0)))
        head = "".join(f"{name}: {value}\r\n" for name, value in credentials(organization).items())
        connection.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: 99\r\n{head}"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
            "Expect: 100-continue\r\n\r\n".encode()
        )
        # It reads the body, which never comes. Leaving asks it to end, and waits until it has.
        assert connection.recv(100).startswith(b"HTTP/1.1 100")


def test_the_key_of_the_server_is_not_used_for_callers(organization, other_organization, tmp_path) -> None:
    with http_server(organization, tmp_path, "--allowed-host", "mcp.example.com", lend=True) as address:
        assert post(address, {}).status_code == 401
        assert post(address, {"X-Steward-Org": organization.id}).status_code == 401
        # Its organization is the one that is meant where a caller names none.
        listed = post(address, {"X-API-Key": organization.secret}, CALL)
        assert listed.json()["result"]["content"][1]["text"] == "That is all."
        foreign = post(address, {"X-API-Key": other_organization.secret}, CALL)
        assert foreign.json()["result"]["isError"]
        named = {"X-API-Key": organization.secret, "Host": "mcp.example.com"}
        assert post(address, {**named, "Origin": "https://mcp.example.com"}).status_code == 200
