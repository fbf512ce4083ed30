"""What the server makes of the service's answers, with a scripted service."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from tests.mcp.assistants import answer, refusal, resource

from mcp import Client
from steward_client.mcp.api import Api, Caller
from steward_client.mcp.document import parse_document
from steward_client.mcp.server import Assistant, server_for
from steward_client.mcp.tools import tools_of

DOCUMENT = parse_document(
    json.loads((Path(__file__).parents[2] / "openapi.json").read_text(encoding="utf-8"))
)
CALLER = Caller("svc_live_0123456789", "org_1", "192.0.2.7")
URL = "http://steward.invalid"


class ToldService:
    """Gives its answers one after the other, and remembers what it was asked."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self.answers.pop(0)

    def client(self, *groups: str, caller: Caller = CALLER) -> Client:
        api = Api(httpx.AsyncClient(transport=httpx.MockTransport(self)), URL)
        tools = tools_of(DOCUMENT, groups, writes=True)
        return Client(server_for(Assistant(DOCUMENT, tools, api, lambda _: caller, writes=True), "1"))


def refused(status: int, **body: Any) -> httpx.Response:
    return httpx.Response(status, json={"message": "Not now.", "requestId": "req_1", **body})


async def test_a_write_is_sent_again_with_the_same_idempotency_key() -> None:
    busy = httpx.Response(
        429, headers={"Retry-After": "0"}, json={"error": "RateLimited", "message": "Too many."}
    )
    done = httpx.Response(201, json={"data": {"id": "wo_1", "title": "Leak"}})
    service = ToldService(busy, done, done)
    async with service.client() as client:
        assert (await answer(client, "create_work_order", title="Leak"))["id"] == "wo_1"
        await answer(client, "create_work_order", title="Leak")
    keys = [request.headers["Idempotency-Key"] for request in service.asked]
    assert keys[0] == keys[1] != keys[2]
    assert [json.loads(request.content) for request in service.asked] == [{"title": "Leak"}] * 3


async def test_the_log_line_of_a_request_names_its_caller() -> None:
    service = ToldService(httpx.Response(200, json={"data": [], "lastEvaluatedKey": None}))
    async with service.client() as client:
        await answer(
            client,
            "list_work_orders",
            status=["Open", "OnHold"],
            overdue=False,
            q="a&b=c",
            lastEvaluatedKey="x==",
        )
    (request,) = service.asked
    assert request.url.path == "/organizations/org_1/work-orders"
    assert dict(request.url.params) == {
        "status": "Open,OnHold",
        "overdue": "false",
        "q": "a&b=c",
        "lastEvaluatedKey": "x==",
    }
    assert (request.headers["X-API-Key"], request.headers["X-Forwarded-For"]) == (
        CALLER.api_key,
        CALLER.address,
    )
    assert "Idempotency-Key" not in request.headers


async def test_an_id_keeps_its_position() -> None:
    service = ToldService(refused(404, error="NotFound"))
    async with service.client() as client:
        await refusal(client, "read_work_order", workOrderId="../users?x=1")
    assert service.asked[0].url.raw_path == b"/organizations/org_1/work-orders/..%2Fusers%3Fx%3D1"


async def test_a_move_without_arguments_has_no_body() -> None:
    service = ToldService(httpx.Response(200, json={"data": {"id": "wo_1"}}))
    async with service.client() as client:
        await answer(client, "complete_work_order", workOrderId="wo_1")
    assert service.asked[0].content == b""


async def test_an_error_has_all_details() -> None:
    free = {"start": 1767225600, "end": 1767229200}
    conflict = refused(409, error="Conflict", message="Room 1 is booked then.", nextFree=free, conflicts=[])
    async with ToldService(conflict).client() as client:
        assert await refusal(
            client,
            "book_resource",
            resourceId="rsc_1",
            title="Talk",
            startTime=1767225600,
            endTime=1767229200,
        ) == (
            "Room 1 is booked then. (409 Conflict)\n"
            'nextFree: {"start":1767225600,"end":1767229200}\n'
            "Request id: req_1"
        )


async def test_a_broken_connection_is_reported() -> None:
    class Silent(ToldService):
        def __call__(self, request: httpx.Request) -> httpx.Response:
            raise httpx.WriteError("broken pipe")

    async with Silent().client() as client:
        said = await refusal(client, "change_work_order", workOrderId="wo_1", title="Leak")
    assert said == "There was no answer: broken pipe"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "q holds the words to be found."),
        ({"q": " "}, "q holds the words to be found."),
        ({"q": "a", "kinds": ["moons"]}, "kinds is a list of: assets, "),
        ({"q": "a", "kinds": [{}]}, "kinds is a list of: assets, "),
        ({"q": "a", "limit": 21}, "limit is a number from 1 to 20."),
        ({"q": "a", "where": "here"}, "There is no argument where. There are: q, kinds, limit."),
    ],
)
async def test_a_search_explains_its_syntax(arguments, said) -> None:
    async with ToldService().client() as client:
        assert (await refusal(client, "search", **arguments)).startswith(said)


async def test_a_search_that_fails_for_another_reason_raises() -> None:
    async with ToldService(refused(401, error="Unauthorized")).client("visitors") as client:
        assert "401 Unauthorized" in await refusal(client, "search", q="ada")


async def test_a_search_says_where_there_is_more() -> None:
    record = {"id": "vis_1", "name": "Ada", "company": None, "phone": "1"}
    page = httpx.Response(200, json={"data": [record], "lastEvaluatedKey": "k"})
    service = ToldService(page)
    async with service.client("visitors") as client:
        found = await answer(client, "search", q="ada", limit=1)
    assert found == {
        "found": {
            "visitors": {
                "records": [{"id": "vis_1", "name": "Ada"}],
                "readWith": "read_visitor(visitorId)",
                "more": "list_visitors(q)",
            }
        }
    }
    assert dict(service.asked[0].url.params) == {"q": "ada", "limit": "1"}


async def test_without_a_list_of_words_there_is_no_search() -> None:
    async with ToldService().client("telemetry") as client:
        assert "search" not in {tool.name for tool in (await client.list_tools()).tools}
        assert not (await client.list_prompts()).prompts


async def test_oversized_arguments_are_usage_errors() -> None:
    service = ToldService()
    async with service.client() as client:
        long = await refusal(client, "read_work_order", workOrderId="x" * 70_000)
        assert long == "workOrderId is an id, and none has more than 1000 characters."
        assert "can't be sent" in await refusal(client, "list_work_orders", q="x" * 70_000)
        assert "can't be sent" in await refusal(client, "search", q="x" * 70_000)
    assert service.asked == []


async def test_an_invalid_organization_is_a_usage_error() -> None:
    service = ToldService()
    async with service.client(caller=Caller("svc_live_0123456789", "..")) as client:
        said = await refusal(client, "list_work_orders")
        assert said == "the organization is an id, and '..' can't be one."
        assert await refusal(client, "search", q="pump") == said
        with pytest.raises(MCPError, match="is an id"):
            await resource(client, "steward://organization")
    assert service.asked == []
