"""Everything that can be read is read by both clients, and comes out as the service said it."""

import asyncio
import inspect
import json
import time
from typing import Any

import httpx
import pytest
from scripts.client.document import Document, Operation
from scripts.client.names import group_module, identifier
from scripts.client.output import ROOT
from tests.client.clients import client_of
from tests.support.organizations import Organization, new_address
from tests.support.sample_records import SampleRecords
from tests.support.service import Service
from tests.support.waiting import limit

from steward_client import AsyncExport, AsyncPages, AsyncSteward, Export, Pages, Steward, to_dict

pytestmark = pytest.mark.long

# What an organization's sample has nothing for: somebody else's calendar, which needs its secret token.
OTHERS = {"readCalendar"}
# So long that it still holds what is made when these tests come at last.
WINDOW = {"from": int(time.time()) - 3600, "to": int(time.time()) + 6 * 3600}
READS = [
    one for one in Document(ROOT / "openapi.json").operations if one.method == "GET" and one.id not in OTHERS
]


@pytest.fixture(scope="module")
def sample(running_service: Service) -> SampleRecords:
    """One of everything, made once."""
    local = running_service.another_api(STEWARD_WEBHOOK_ALLOW_LOCAL="on")
    organization = Organization(local.base_url, running_service.database_url, "Enterprise")
    found = SampleRecords(organization)
    organization.base_url = running_service.base_url
    return found


def _arguments(sample: SampleRecords, operation: Operation) -> tuple[list[Any], dict[str, Any]]:
    """Path and query of a request that finds something."""
    names = [one["name"] for one in operation.parameters("path") if one["name"] != "orgId"]
    # A window, where there must be one, or where it would be another one each time.
    asked = [one["name"] for one in operation.parameters("query") if one["required"]]
    asked = ["from", "to"] if operation.id in {"readHistoryOfAsset", "showWhenResourceIsFree"} else asked
    query = {identifier(name): WINDOW[name] for name in asked}
    return [sample.ids[name] for name in names], query


def _said(sample: SampleRecords, operation: Operation, query: dict[str, Any]) -> httpx.Response:
    organization = sample.organization
    http = organization.client(key=organization.secret, base_url=organization.base_url)
    params = {name.rstrip("_"): value for name, value in query.items()}
    if any(one["name"] == "limit" for one in operation.parameters("query")):
        params["limit"] = 100
    answer = http.get(sample.path(operation.path), params=params)
    assert answer.status_code == 200, answer.text
    return answer


def _expected(operation: Operation, answer: httpx.Response) -> Any:
    kind = operation.answer[0]
    if kind == "application/x-ndjson":
        return [json.loads(line) for line in answer.text.split("\n") if line]
    if kind != "application/json":
        return answer.text
    return answer.json().get("data", answer.json())


def _found(operation: Operation, result: Any) -> Any:
    if isinstance(result, Export):
        ndjson = operation.answer[0] == "application/x-ndjson"
        return to_dict(list(result.records())) if ndjson else "".join(result.lines())
    return to_dict(list(result)) if isinstance(result, Pages) else to_dict(result)


async def _found_async(operation: Operation, result: Any) -> Any:
    if isinstance(result, AsyncExport):
        if operation.answer[0] == "application/x-ndjson":
            return to_dict([record async for record in result.records()])
        return "".join([line async for line in result.lines()])
    if isinstance(result, AsyncPages):
        return to_dict([record async for record in result])
    return to_dict(await result)


# What asking changes: when and by whom a key was used last, and how often.
MOVING = {"lastUsed", "lastUsedIp", "lastUserAgent", "usage"}


def _same(found: Any, expected: Any) -> bool:
    """What the service leaves out because it is null or empty stands in a record as None or as nothing."""
    if isinstance(expected, dict) and isinstance(found, dict):
        added = {name for name in found.keys() - expected.keys() if found[name] in (None, [], {})}
        kept = found.keys() - added
        return kept == expected.keys() and all(_same(found[name], expected[name]) for name in kept - MOVING)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(_same, found, expected))
    return bool(found == expected)


@pytest.mark.parametrize("operation", READS, ids=lambda one: one.id)
def test_it_is_read_as_it_was_said(operation: Operation, sample: SampleRecords, service: Service) -> None:
    positional, query = _arguments(sample, operation)
    organization = sample.organization
    expected = _expected(operation, _said(sample, operation, query))
    method = getattr(getattr(client_of(organization), group_module(operation.tag)), operation.name)
    found = [
        _found(operation, method(*positional, **query)),
        asyncio.run(_async_result(organization, operation, positional, query)),
    ]
    if operation.id == "exportApiKeysAsCsv":
        # A whole file, in which the moment of the last use stands, too.
        found, expected = [len(text.splitlines()) for text in found], len(expected.splitlines())
    assert _same(found, [expected, expected]), (found, expected)


async def _async_result(
    organization: Organization, operation: Operation, positional: list[Any], query: dict[str, Any]
) -> Any:
    async with httpx.AsyncClient(headers={"X-Forwarded-For": new_address()}, timeout=limit(60)) as http:
        client = AsyncSteward(organization.base_url, organization.secret, organization.id, http_client=http)
        method = getattr(getattr(client, group_module(operation.tag)), operation.name)
        return await _found_async(operation, method(*positional, **query))


def test_the_calendar_is_read_by_its_token(steward: Steward) -> None:
    room = steward.bookable_resources.create(name="Room", type="Room")
    link = steward.bookable_resources.create_calendar_link(room.id)
    token = link.url.rpartition("/")[2]
    assert steward.bookable_resources.get_calendar(token).startswith("BEGIN:VCALENDAR")


def test_both_clients_take_the_same_arguments() -> None:
    sync, other = Steward("http://x"), AsyncSteward("http://x")
    for operation in Document(ROOT / "openapi.json").operations:
        group = group_module(operation.tag)
        one, two = (getattr(getattr(client, group), operation.name) for client in (sync, other))
        assert list(inspect.signature(one).parameters) == list(inspect.signature(two).parameters)
        assert one.__doc__ == two.__doc__
