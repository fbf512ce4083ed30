"""The OpenAPI 3.1 document, made from the routes alone."""

from collections.abc import Iterable, Mapping
from typing import Any, get_origin

import msgspec

from steward import __version__
from steward.kit.db.idempotency import MAX_KEY_LENGTH
from steward.kit.domain import problems
from steward.kit.events import event_types as events
from steward.kit.http.openapi.answers import (
    PLACEHOLDER,
    SCHEMA,
    Error,
    Json,
    has_validator,
    name_error_codes,
    refusal,
    refusals,
    success,
)
from steward.kit.http.openapi.decimals import decimals_as_numbers
from steward.kit.http.openapi.links import links
from steward.kit.http.openapi.webhooks import section
from steward.kit.http.route import NoBody, NoQuery, Route
from steward.kit.security.permissions import in_words

# For identifiers that aren't ours.
_IDENTIFIER_LENGTHS = {"externalId": 200, "token": 200, "version": 200}


def _error() -> type[msgspec.Struct]:
    """With the parts that slices add."""
    members = [(name, kind, default) for name, (kind, default) in problems.MEMBERS.items()]
    return msgspec.defstruct(
        "Error",
        members,
        bases=(Error,),
        namespace={"__doc__": Error.__doc__},
        frozen=True,
        omit_defaults=True,
    )


def build(routes: Iterable[Route], description: str) -> Json:
    ordered = sorted(routes, key=lambda route: (route.path, route.method))
    kinds = sorted(events.ALL.values(), key=lambda kind: kind.name)
    payloads = {kind.name: kind.payload for kind in kinds}
    models = {model for route in ordered for model in _models(route)} | {_error(), *payloads.values()}
    by_model = sorted(models, key=lambda model: getattr(model, "__name__", str(model)))
    schemas, components = msgspec.json.schema_components(by_model, ref_template=SCHEMA)
    # As it is sent: a default that is a tuple is an array there.
    components = msgspec.json.decode(msgspec.json.encode(components))
    decimals_as_numbers(components)
    name_error_codes(components)
    _please_generators(components)
    references = dict(zip(by_model, schemas, strict=True))
    paths = _paths(ordered, references, components)
    # Their fields have become parameters.
    for query in {route.query for route in ordered} - {NoQuery}:
        del components[query.__name__]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Steward",
            "version": __version__,
            "description": description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in dict.fromkeys(route.tag for route in ordered)],
        "paths": paths,
        "webhooks": section(kinds, {name: references[model] for name, model in payloads.items()}),
        "components": {
            "schemas": components,
            "responses": {problem.code: refusal(problem) for problem in problems.ALL},
            "headers": _HEADERS,
            "securitySchemes": _SECURITY_SCHEMES,
        },
    }


def _paths(routes: list[Route], references: Mapping[Any, Json], components: Json) -> Json:
    paths: Json = {}
    for route in routes:
        operation = _operation(route, references, components)
        if leading_on := links(route, routes):
            operation["responses"][str(route.status)]["links"] = leading_on
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return paths


def _please_generators(components: Json) -> None:
    """msgspec can't write the default of an object, which the description names; a tag is a constant, not an
    enum.
    """
    for schema in components.values():
        for field in schema.get("properties", {}).values():
            if isinstance(field.get("default"), dict):
                del field["default"]
            if len(field.get("enum", ())) == 1:
                field["const"] = field.pop("enum")[0]


def _models(route: Route) -> Iterable[Any]:
    for model in (route.gives, route.body, route.query):
        structured = isinstance(model, type) and issubclass(model, msgspec.Struct)
        if (structured or get_origin(model) is list) and model not in {NoBody, NoQuery}:
            yield model


def _operation(route: Route, references: Mapping[Any, Json], components: Json) -> Json:
    operation: Json = {
        "operationId": route.operation_id,
        "summary": route.summary,
        "tags": [route.tag],
        "security": [] if route.public else [{"apiKey": []}, {"bearer": []}],
        "parameters": [
            *_path_parameters(route),
            *_query_parameters(route, components),
            *_header_parameters(route),
        ],
        "responses": {**success(route, references, components), **refusals(route)},
    }
    needed = [] if route.permission is None else [f"Needs the permission {in_words(route.permission, '`')}."]
    if description := " ".join([route.description, *needed]).strip():
        operation["description"] = description
    if route.takes == "text/csv":
        operation["requestBody"] = {"required": True, "content": _csv_file(route)}
    elif route.body is not NoBody:
        content = {"schema": references[route.body]}
        if route.body_example is not None:
            content["example"] = route.body_example
        required = any(field.required for field in msgspec.structs.fields(route.body))
        operation["requestBody"] = {"required": required, "content": {"application/json": content}}
    return operation


def _csv_file(route: Route) -> Json:
    """Under its own media type, and under the generic one that generators know."""
    example = {"example": route.body_example}
    return {
        "text/csv": {"schema": {"type": "string"}, **example},
        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}, **example},
    }


def _path_parameters(route: Route) -> Iterable[Json]:
    for name in PLACEHOLDER.findall(route.path):
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1, "maxLength": _IDENTIFIER_LENGTHS.get(name, 40)},
        }


def _query_parameters(route: Route, components: Json) -> Iterable[Json]:
    if route.query is NoQuery:
        return
    described = components[route.query.__name__]
    for name, schema in described["properties"].items():
        required = name in described.get("required", ())
        parameter: Json = {"name": name, "in": "query", "required": required, "schema": dict(schema)}
        if description := parameter["schema"].pop("description", None):
            parameter["description"] = description
        if _is_list(schema):
            parameter |= {"style": "form", "explode": False}  # several values, separated by commas
        yield parameter


def _is_list(schema: Json) -> bool:
    return any(kind.get("type") == "array" for kind in (schema, *schema.get("anyOf", ())))


def _header_parameters(route: Route) -> Iterable[Json]:
    if route.method == "POST" and not route.public:
        yield _header_parameter(
            "Idempotency-Key",
            "Sent again within 24 hours with the same body, the stored answer comes back and nothing happens twice.",
            {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": "^[\\x21-\\x7e]+$"},
        )
    if route.conditional:
        yield _header_parameter(
            "If-Match", "The ETag last seen; 412 when the resource has changed since.", {"type": "string"}
        )
    if has_validator(route) and route.method == "GET":
        yield _header_parameter(
            "If-None-Match", "The ETag last seen; 304 when nothing has changed.", {"type": "string"}
        )
    if route.creates:
        yield _header_parameter(
            "If-None-Match", "`*` to create only; 412 when it is there already.", {"type": "string"}
        )


def _header_parameter(name: str, description: str, schema: Json) -> Json:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _string_header(description: str, schema_type: str = "string") -> Json:
    return {"description": description, "schema": {"type": schema_type}}


_HEADERS: Json = {
    "X-Request-Id": _string_header("Names this request in logs; the same as `requestId`."),
    "RateLimit-Policy": _string_header("The limit: how many requests in how many seconds."),
    "RateLimit": _string_header("What is left of it, and in how many seconds it starts over."),
    "ETag": _string_header("Names this version of the resource; for If-Match and If-None-Match."),
    "Location": _string_header("Where the new resource is."),
    "Idempotent-Replayed": _string_header("`true` when this is the stored answer to an earlier request."),
    "Retry-After": _string_header("Seconds to wait before trying again.", "integer"),
}

_SECURITY_SCHEMES: Json = {
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "`svc_live_` and 32 letters and digits. Where it is present, Authorization is ignored.",
    },
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "Deprecated, removed on 30 June 2026: a token from POST /authentications/tokens. "
        "An API key is taken as bearer value, too.",
    },
}
