"""The answers of operations: success in a named envelope, every refusal in one shape.

Generators make a class of each schema and use our names. An envelope or error written out at each operation
would become hundreds of classes with arbitrary names.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, get_args

import msgspec

from steward.kit.domain import problems
from steward.kit.domain.problems import ErrorDetail
from steward.kit.http.route import NoBody, Route

Json = dict[str, Any]

SCHEMA = "#/components/schemas/{name}"
PLACEHOLDER = re.compile(r"{(\w+)}")


class Error(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The shape of every refusal; `details` comes with 422."""

    error: str
    message: str
    request_id: str
    details: list[ErrorDetail] = []


def name_error_codes(components: Json) -> None:
    """The codes as a named enum: a generated client compares with its members."""
    codes = sorted(problem.code for problem in problems.ALL)
    components["ErrorCode"] = {"title": "ErrorCode", "type": "string", "enum": codes}
    components["Error"]["properties"]["error"] = {"$ref": SCHEMA.format(name="ErrorCode")}


def success(route: Route, references: Mapping[Any, Json], components: Json) -> Json:
    """By status; a new envelope is added to the components."""
    headers = ["X-Request-Id"]
    if not route.public:
        headers += ["RateLimit-Policy", "RateLimit"]
    if has_validator(route):
        headers.append("ETag")
    if route.status == 201:
        headers.append("Location")
    if route.method == "POST" and not route.public:
        headers.append("Idempotent-Replayed")
    content: Json = {"schema": _answered(route, references, components)}
    if (example := _wrapped_example(route)) is not None:
        content["example"] = example
    answers: Json = {
        str(route.status): {
            "description": HTTPStatus(route.status).phrase,
            "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
            "content": {route.media_type: content},
        }
    }
    if route.creates:
        location = {"Location": {"$ref": "#/components/headers/Location"}}
        answer = answers[str(route.status)]
        answers["201"] = {**answer, "description": "Created", "headers": answer["headers"] | location}
    if has_validator(route) and route.method == "GET":
        answers["304"] = {"description": "Nothing has changed since the ETag in If-None-Match."}
    return answers


def has_validator(route: Route) -> bool:
    return route.shape == "one"


def _answered(route: Route, references: Mapping[Any, Json], components: Json) -> Json:
    if route.shape == "stream":
        return {"type": "string"}
    given = references.get(route.gives, {"type": "object"})
    if route.shape == "bare":
        return given
    name = _envelope_name(route)
    envelope = {"title": name, **_envelope(route, given)}
    if components.setdefault(name, envelope) != envelope:
        raise ValueError(f"{route.name}: {name} is the name of another schema")
    return {"$ref": SCHEMA.format(name=name)}


def _envelope_name(route: Route) -> str:
    """Version 2 has one more member; its name says so where both versions return the same record."""
    if route.shape == "deleted":
        return "DeletionV2" if route.shows_request_id else "Deletion"
    (item,) = get_args(route.gives) or (route.gives,)
    many = route.shape == "page" or item is not route.gives
    return f"{item.__name__}{'Page' if many else 'Answer'}"


def _envelope(route: Route, given: Json) -> Json:
    properties: Json = {"data": given}
    if route.shape == "page":
        properties = {
            "data": {"type": "array", "items": given},
            "lastEvaluatedKey": {"type": ["string", "null"], "description": "Null on the last page."},
        }
    elif route.shape == "deleted":
        properties = {
            "data": {"type": "object", "properties": {"deleted": {"const": True}}, "required": ["deleted"]}
        }
    if route.shows_request_id:
        properties["requestId"] = {"type": "string"}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _wrapped_example(route: Route) -> Any:
    example = msgspec.to_builtins(route.example)
    if route.shape == "deleted":
        return {"data": {"deleted": True}}
    if example is None or route.shape == "bare":
        return example
    whole: Json = (
        {"data": [example], "lastEvaluatedKey": None} if route.shape == "page" else {"data": example}
    )
    if route.shows_request_id:
        whole["requestId"] = "req_00064a1b2c3d4e5f60718293a4b5"
    return whole


def refusals(route: Route) -> Json:
    kinds: list[type[problems.Problem]] = [problems.Invalid, problems.InternalError, problems.Unavailable]
    if not route.public:
        kinds += [problems.Unauthenticated, problems.Forbidden, problems.TooManyRequests]
    if len(PLACEHOLDER.findall(route.path)) > 1:
        kinds.append(problems.NotFound)
    if route.body is not NoBody or route.method == "POST":
        kinds += [problems.BadRequest, problems.PayloadTooLarge, problems.UnsupportedMediaType]
    if route.method == "POST" and not route.public:
        # For an Idempotency-Key: the request is still running, or its answer has been erased.
        kinds += [problems.Conflict, problems.Gone]
    if route.conditional:
        kinds.append(problems.PreconditionFailed)
    if route.conditional and "external_id" in route.body.__struct_fields__:
        kinds.append(problems.Conflict)  # for an externalId that another record has
    answers = {str(kind.status): {"$ref": f"#/components/responses/{kind.code}"} for kind in kinds}
    by_status = {kind.status: kind for kind in problems.ALL}
    for status, description in route.refusals.items():
        answers[str(status)] = {**refusal(by_status[status]), "description": description}
    return dict(sorted(answers.items()))


def refusal(problem: type[problems.Problem]) -> Json:
    headers = {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}}
    if problem in {problems.TooManyRequests, problems.Unavailable}:
        headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    return {
        "description": f"`{problem.code}`: {problem.when}.",
        "headers": headers,
        "content": {"application/json": {"schema": {"$ref": SCHEMA.format(name="Error")}}},
    }
