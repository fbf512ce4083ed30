"""Collects every fault of a body, whichever stage finds it: types, the rules of its kind, or the database.

Each stage needs what the stage before has checked, so the first refusal ends a request. Before it is
answered, the later stages run as well: the database checks that the records exist which the body refers to;
and where only some fields have the wrong type, the rules check the others. That is a rehearsal without a
database: a refusal must not cost more than the request.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import asyncpg
import msgspec

from steward.kit.db.constraints import Constraints
from steward.kit.db.pool import Database
from steward.kit.db.references import BrokenReferences, broken_references
from steward.kit.domain.problems import BadRequest, ErrorDetail, Invalid, Problem
from steward.kit.http.decoding import (
    read_body,
    read_large_body,
    read_query,
    read_specially,
    read_text,
)
from steward.kit.http.json_pieces import AT_ONCE
from steward.kit.http.route import Call, Route


class _RehearsedError(Exception):
    """Raised where the request would begin to read or write: the rules had no objection."""


class _NoDatabase:
    """A database that ends a rehearsal at the first read or write."""

    def __getattr__(self, name: str) -> Any:
        raise _RehearsedError(name)


async def read_all(
    route: Route,
    call: Call[Any, Any],
    query_string: str,
    content_type: str | None,
    body: bytes,
) -> None:
    """Decodes query and body; raises all faults of both."""
    found: list[ErrorDetail] = []
    try:
        call.query = read_query(route.query, query_string)
    except Invalid as problem:
        found += problem.details
    try:
        call.body = (
            read_at_once(route, content_type, body)
            if len(body) <= AT_ONCE
            else await read_in_turns(route, content_type, body)
        )
    except Invalid as problem:
        found += problem.details
    if found:
        raise await call.with_later_faults(Invalid.of(found), route, call, body)


def read_at_once(route: Route, content_type: str | None, body: bytes) -> Any:
    if route.reads is not None:
        return read_specially(route.reads.at_once, content_type, body)
    if route.takes == "text/csv":
        return read_text(content_type, body)
    return read_body(route.body, content_type, body)


async def read_in_turns(route: Route, content_type: str | None, body: bytes) -> Any:
    """Like `read_at_once`, for a body that takes too long to decode in one step."""
    if route.reads is not None:
        return await read_specially(route.reads.in_pieces, content_type, body)
    if route.takes == "text/csv":
        return read_text(content_type, body)
    return await read_large_body(route.body, content_type, body)


async def with_later_faults(
    problem: Invalid, route: Route, call: Call[Any, Any], body: bytes, constraints: Constraints
) -> Invalid:
    """Adds what later stages would refuse. Where `call` has a body, the rules have run already."""
    # Larger bodies are refused for their types alone: decoding them again and again would cost too much.
    sent = _sent(body) if route.stored_in is not None and len(body) <= AT_ONCE else None
    if route.stored_in is None or sent is None:
        return problem
    faulty = {_field(detail) for detail in problem.details}
    right = {name: value for name, value in sent.items() if name not in faulty}
    later = []
    if route.rehearsed and call.body is None and call.query is not None:
        later = await _rehearse(route, call, right)
    later += await _dangling(route.stored_in, call, right, constraints)
    # One sentence a field: a fault of its own type comes before what follows from it.
    told = {detail.field: detail for detail in (*later[::-1], *problem.details[::-1])}
    return Invalid.of(reversed(told.values()))


def _sent(body: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _field(detail: ErrorDetail) -> str:
    """The field of the body that contains it."""
    return detail.field.partition(".")[0].partition("[")[0]


async def _rehearse(route: Route, call: Call[Any, Any], right: Mapping[str, Any]) -> list[ErrorDetail]:
    """Runs the rules on the valid fields; the example's values replace the others."""
    example = msgspec.to_builtins(route.body_example or {})
    known = msgspec.inspect.type_info(route.body).fields  # type: ignore[attr-defined]
    known_names = {field.encode_name for field in known}
    required = {field.encode_name for field in known if field.required}
    stand_ins = {name: example[name] for name in required - right.keys() if name in example}
    try:
        rehearsed = read_body(route.body, None, msgspec.json.encode({**stand_ins, **right}))
    except (Invalid, BadRequest):
        return []
    found = await _refusal(route, call, rehearsed)
    # A fault of another field may come from the value that replaced the invalid one.
    missing = known_names - right.keys()
    return [
        detail
        for detail in found
        if _field(detail) in right and not any(name in detail.message for name in missing)
    ]


async def _refusal(route: Route, call: Call[Any, Any], body: Any) -> Iterable[ErrorDetail]:
    part = call.as_one(cast(Database, _NoDatabase()), body)
    part.query, part.precondition = call.query, call.precondition
    try:
        await route.handler(part)
    except Invalid as problem:
        return problem.details
    except (_RehearsedError, Problem):
        # No fault can be found without the database, or the request is refused for another reason.
        return ()
    return ()


async def _dangling(
    table: str, call: Call[Any, Any], right: Mapping[str, Any], constraints: Constraints
) -> list[ErrorDetail]:
    references: dict[str, str | list[str]] = {
        name: value
        for name, meaning in constraints.items()
        if isinstance(value := right.get(getattr(meaning, "field", "")), str | list)
    }
    if not references:
        return []
    try:
        broken = await broken_references(call.db, table, call.caller.tenant, references)
    except (Problem, asyncpg.PostgresError, OSError):
        return []
    explained = call.explain(BrokenReferences(broken)) if broken else None
    return list(explained.details) if isinstance(explained, Invalid) else []
