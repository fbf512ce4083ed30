"""A body that is refused costs little, whatever it holds: for every operation that the document has, the worst of its bodies.

Costs are counted in lines of ours that run, so that they are the same on every machine; a line takes some tenths of a
microsecond, so that these bounds are a few milliseconds for 100 KB.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import msgspec
import pytest
from tests.support.line_counter import MAX_CPU_SECONDS, cpu_seconds, lines_of
from tests.support.organizations import Organization

from steward.ingest.decoding import decode_items
from steward.kit.domain.problems import BadRequest, Invalid, Problem
from steward.kit.http.all_faults import read_at_once, read_in_turns
from steward.kit.http.json_pieces import AT_ONCE
from steward.kit.http.route import NoBody, Route
from steward.wiring.routes import api_document, document_routes

pytestmark = pytest.mark.long

# What is done once, and what may be done for every 100 KB: of a batch, each item gets an answer of its own.
LINES_AT_ALL = 6_000
LINES_PER_100_KB = 17_000
_DEEPEST = 6

ROUTES = {
    route.operation_id: route
    for route in document_routes()
    if route.body is not NoBody and route.takes == "application/json"
}


@cache
def _operations() -> dict[str, Any]:
    return {
        operation["operationId"]: operation
        for methods in api_document()["paths"].values()
        for operation in methods.values()
        if isinstance(operation, dict) and "operationId" in operation
    }


def _schema(reference: Any) -> dict[str, Any]:
    while "$ref" in reference:
        reference = api_document()["components"]["schemas"][reference["$ref"].rpartition("/")[2]]
    return dict(reference)


def _kinds(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema itself, or each of those that it may be."""
    found = _schema(schema)
    for choice in (*found.get("anyOf", ()), *found.get("oneOf", ())):
        yield from _kinds(choice)
    if "type" in found:
        yield found


def _some(schema: Any, depth: int = 0) -> Any:
    """A small value that is about right."""
    kind = next(_kinds(schema), {})
    if "enum" in kind:
        return kind["enum"][0]
    match kind.get("type"):
        case "object" if depth < _DEEPEST:
            properties = kind.get("properties", {})
            return {
                name: _some(properties[name], depth + 1)
                for name in kind.get("required", ())
                if name in properties
            }
        case "array":
            return []
        case "string":
            return "x" * max(1, kind.get("minLength", 1))
        case "integer" | "number":
            return kind.get("minimum", 1)
        case "boolean":
            return True
    return None


def _fillings(schema: Any, size: int, depth: int = 0) -> Iterator[Any]:
    """Values with a list, a map or unknown fields that take all the room there is, at every place that has one."""
    if depth > _DEEPEST:
        return
    for kind in _kinds(schema):
        if kind.get("type") == "object":
            yield from _filled_objects(kind, size, depth)
        elif kind.get("type") == "array":
            item = _some(kind.get("items", {}), depth)
            yield _repeated(item, size)
            # As long as it may be, with something wrong in the last one.
            right = [item] * max(0, kind.get("maxItems", 500) - 1)
            yield [*right, {"wrong": 1}]
            yield from (
                [filling] * _fits(filling, size)
                for filling in _fillings(kind.get("items", {}), 20_000, depth + 1)
            )


def _filled_objects(kind: dict[str, Any], size: int, depth: int) -> Iterator[Any]:
    some = _some(kind, depth)
    yield some | {f"f{n}": 1 for n in range(size // 12)}
    values = kind.get("additionalProperties")
    if isinstance(values, dict):
        value = _some(values, depth)
        yield {f"k{n}": value for n in range(_fits({"k12345": value}, size))}
        most = kind.get("maxProperties", 200)
        yield {f"k{n}": value for n in range(most - 1)} | {"last": {"wrong": []}}
    for name, inner in kind.get("properties", {}).items():
        yield from (some | {name: filling} for filling in _fillings(inner, size, depth + 1))


def _repeated(item: Any, size: int) -> list[Any]:
    return [item] * _fits(item, size)


def _fits(item: Any, size: int) -> int:
    return max(1, size // (len(msgspec.json.encode(item)) + 1))


def _read(route: Route, body: bytes) -> Any:
    read = read_at_once if len(body) <= AT_ONCE else read_in_turns
    return read(route, "application/json", body)


def _refusal(read: Callable[[], Any]) -> Any:
    """What the caller learns; what is no JSON at all may be refused for another of its faults."""
    try:
        read()
    except Invalid as problem:
        return problem.details
    except BadRequest:
        return BadRequest
    except Problem as problem:
        return problem.message
    return None


@pytest.mark.parametrize("operation", ROUTES)
def test_a_refused_body_costs_little(operation: str) -> None:
    route = ROUTES[operation]
    schema = _operations()[operation]["requestBody"]["content"]["application/json"]["schema"]
    for value in _fillings(schema, route.max_body - 2_000):
        body = msgspec.json.encode(value)[: route.max_body]
        read = partial(_read, route, body)
        assert cpu_seconds(read) < MAX_CPU_SECONDS, body[:200]
        lines = lines_of(read)
        assert lines <= LINES_AT_ALL + LINES_PER_100_KB * len(body) / 100_000, (lines, len(body), body[:200])


def _listed(entry: bytes) -> Callable[[int], bytes]:
    return lambda size: b"[" + b",".join([entry] * (size // (len(entry) + 1))) + b"]"


# JSON that is laborious to read, whatever it is for.
_FORMS: dict[str, Callable[[int], bytes]] = {
    "open brackets": lambda size: b"[" * size,
    "deep lists": _listed(b"[" * 500 + b"]" * 500),
    "small lists": _listed(b"[[[[1]]]]"),
    "small objects": _listed(b'{"a":{"b":{"c":{}}}}'),
}
_EXTREME = {"large": _listed(b"1e308"), "small": _listed(b"-5E-0324")}


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("operation", ["createLocation", "batchLocations"])
def test_deeply_nested_brackets_are_cheap(operation: str, form: str) -> None:
    body = b'{"unknown":%s}' % _FORMS[form](300_000)
    lines = lines_of(partial(_read, ROUTES[operation], body))
    assert lines <= 10 * LINES_AT_ALL + LINES_PER_100_KB * len(body) / 100_000


@pytest.mark.parametrize("size", [AT_ONCE - 100, 300_000])
@pytest.mark.parametrize("numbers", _EXTREME)
@pytest.mark.parametrize(
    "operation", ["createLocation", "batchLocations", "sendReading", "sendReadingsOfSeveralAssets"]
)
def test_numbers_that_take_long_to_decode_are_not_decoded(operation: str, numbers: str, size: int) -> None:
    body = b'{"unknown":%s}' % _EXTREME[numbers](size)
    reads = _at_once if len(body) <= AT_ONCE else _in_turns
    with pytest.raises(BadRequest, match="numbers beyond 1e99"):
        reads(ROUTES[operation], body)


_NUMBERS = b"[" + b"1," * 300_000 + b"1]"
# JSON in which every piece would repeat what came before, or one step would take long.
_LABORIOUS = {
    "a long name": (b'{"%b":%b}' % (b"k" * 200_000, _NUMBERS), "names too long"),
    "long names": (b'{"%b":' % (b"k" * 400) * 700 + _NUMBERS + b"}" * 700, "names too long"),
    "brackets": (b'{"items":[' + b"[" * 1_200 + b"[[[[1]]]]," * 60_000, "nested too deeply"),
    "a long text": (b'{"title":"%b"}' % (b"x" * 900_000), "text of more than 256 KiB"),
}


@pytest.mark.parametrize("laborious", _LABORIOUS)
@pytest.mark.parametrize("operation", ["createWorkOrder", "batchWorkOrders"])
def test_sources_that_are_read_repeatedly_are_refused(
    shared_organization: Organization, operation: str, laborious: str
) -> None:
    body, message = _LABORIOUS[laborious]
    path = ROUTES[operation].path.replace("{orgId}", shared_organization.id)
    answer = shared_organization.api.post(path, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest"), answer.text[:300]
    assert message in answer.json()["message"]


def test_some_extreme_numbers_are_accepted() -> None:
    route = ROUTES["createLocation"]
    metadata = {f"k{number}": 1e-300 for number in range(50)}
    body = msgspec.json.encode({"name": "Roof", "type": "Site", "metadata": metadata})
    assert _read(route, body).metadata == metadata


@pytest.mark.parametrize("operation", ROUTES)
def test_a_large_body_is_refused_for_the_same_reasons_as_a_small_one(operation: str) -> None:
    route = ROUTES[operation]
    schema = _operations()[operation]["requestBody"]["content"]["application/json"]["schema"]
    for value in _fillings(schema, 4 * AT_ONCE):
        body = msgspec.json.encode(value)
        assert _refusal(partial(_in_turns, route, body)) == _refusal(
            partial(read_at_once, route, None, body)
        ), body[:200]


@pytest.mark.parametrize("operation", [name for name in ROUTES if ROUTES[name].body_example is not None])
def test_a_large_body_is_read_as_a_small_one(operation: str) -> None:
    route = ROUTES[operation]
    example = msgspec.to_builtins(route.body_example)
    body = json.dumps(example, separators=("," + " " * AT_ONCE, ":")).encode()
    read = [_in_turns(route, body), read_at_once(route, None, body)]
    if operation == "sendReadingsOfSeveralAssets":
        # A bad reading loses no other, so each is read later.
        read = [asyncio.run(decode_items(items)) for items in read]
    in_turns, at_once = map(_told, read)
    assert in_turns == at_once


def _at_once(route: Route, body: bytes) -> Any:
    return read_at_once(route, None, body)


def _in_turns(route: Route, body: bytes) -> Any:
    return asyncio.run(read_in_turns(route, None, body))


def _told(value: Any) -> Any:
    """What a Raw is made of, instead of which one it is."""
    return msgspec.to_builtins(value, enc_hook=bytes, builtin_types=(bytes,))
