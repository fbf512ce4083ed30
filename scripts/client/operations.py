"""Writes a class for each group of operations, for the async client; the other is made from it."""

import re
from dataclasses import dataclass

from scripts.client.document import Document, Operation, Schema, is_wrapper, ref_name
from scripts.client.models import NOTE
from scripts.client.names import BASES, group_class, group_module, identifier, model_name
from scripts.client.types import Style, description, docstring, union

_HEADERS = ("Idempotency-Key", "If-Match", "If-None-Match")
_PAGE = 100
# What a caller may want to know of arguments that every operation has, in our own words.
_COMMON = {
    "idempotency_key": "Yours, instead of one that is made for this call.",
    "last_evaluated_key": "The cursor of a page, to begin behind it.",
    "organization": "Another one than the client's.",
}


@dataclass(frozen=True)
class Argument:
    name: str
    kind: str
    default: str | None = None
    text: str = ""

    @property
    def signature(self) -> str:
        return f"{self.name}: {self.kind}" + ("" if self.default is None else f" = {self.default}")


@dataclass(frozen=True)
class Result:
    """`helper` is the method of AsyncGroup that does the work; `model` the model that it reads."""

    kind: str
    helper: str
    model: str | None = None
    awaited: bool = True


def operation_modules(document: Document) -> dict[str, str]:
    """By file name."""
    files = {f"{group_module(tag)}.py": _module(document, tag) for tag in document.tags}
    files["__init__.py"] = _package(document)
    return files


def _package(document: Document) -> str:
    groups = [(group_module(tag), group_class(tag)) for tag in document.tags]
    lines = [NOTE, "from ..transport import AsyncTransport"]
    lines += [f"from .{module} import {name}" for module, name in groups]
    lines += ["\n\nclass AsyncOperations:", '    """Every group of the API."""\n']
    lines += ["    def __init__(self, transport: AsyncTransport) -> None:"]
    lines += [f"        self.{module} = {name}(transport)" for module, name in groups]
    return "\n".join([*lines, ""])


def _module(document: Document, tag: str) -> str:
    operations = [one for one in document.operations if one.tag == tag]
    body = "\n\n".join(_method(document, one) for one in operations)
    module, base = BASES.get(tag, ("group", "AsyncGroup"))
    lines = [NOTE]
    abstract = [word for word in ("Mapping", "Sequence") if f"{word}[" in body]
    if abstract:
        lines.append(f"from collections.abc import {', '.join(abstract)}")
    if re.search(r"\bAny\b", body):
        lines.append("from typing import Any")
    if "UNSET" in body:
        lines.append("from msgspec import UNSET, UnsetType")
    if "models." in body:
        lines.append("from ... import models")
    if "Upload(" in body:
        lines.append("from ..._uploads import AsyncSource, Upload")
    for where, name in (("exports", "AsyncExport"), ("pages", "AsyncPages")):
        if f"{name}[" in body:
            lines.append(f"from ..{where} import {name}")
    lines.append(f"from ..{module} import {base}")
    return "\n".join([*lines, f"\n\nclass {group_class(tag)}({base}):", body, ""])


def _method(document: Document, operation: Operation) -> str:
    path = [_path_argument(one) for one in operation.parameters("path") if one["name"] != "orgId"]
    body = _body_arguments(document, operation, {one.name for one in path})
    query = {one["name"]: _query_argument(document, one) for one in operation.parameters("query")}
    headers = {
        name: Argument(identifier(name), "str | None", "None", _header_text(operation, name))
        for name in _HEADERS
        if any(one["name"] == name for one in operation.parameters("header"))
    }
    own = [Argument("organization", "str | None", "None", _COMMON["organization"])]
    if "{orgId}" not in operation.path:
        own = []
    first = path + _first_arguments(document, operation)
    keywords = [*body.values(), *query.values(), *headers.values(), *own]
    keywords.sort(key=lambda one: one.default is not None)
    names = [one.name for one in first + keywords]
    if len(set(names)) != len(names):
        raise ValueError(f"{operation.id} has two arguments of one name: {names}")
    result = _result(document, operation)
    parts = _parts(operation, path, first, body, query, headers, organization=bool(own))
    return _written(operation, first, keywords, result, parts)


def _written(
    operation: Operation, first: list[Argument], keywords: list[Argument], result: Result, parts: list[str]
) -> str:
    signature = ["self", *(one.signature for one in first)]
    if keywords:
        signature += ["*", *(one.signature for one in keywords)]
    given = [result.model] if result.model else []
    call = f"self.{result.helper}({', '.join([*given, *parts])})"
    start = "async def" if result.awaited else "def"
    begin = "await " if result.awaited else ""
    if result.kind != "None":
        begin = f"return {begin}"
    return "\n".join(
        [
            f"    {start} {operation.name}({', '.join(signature)},) -> {result.kind}:",
            f"        {docstring(_documentation(operation, first + keywords), 8)}",
            f"        {begin}{call}",
        ]
    )


def _documentation(operation: Operation, arguments: list[Argument]) -> str:
    raw = operation.raw
    text: str = raw["summary"].rstrip(".") + "."
    if raw.get("deprecated"):
        text += "\n\nDeprecated."
    if more := raw.get("description"):
        text += f"\n\n{more}"
    described = [f"    {one.name}: {one.text}" for one in arguments if one.text]
    if described:
        text += "\n\nArgs:\n" + "\n".join(described)
    return text


def _path_argument(parameter: Schema) -> Argument:
    kind = "int" if parameter["schema"].get("type") == "integer" else "str"
    return Argument(identifier(parameter["name"]), kind, None, parameter.get("description", ""))


def _first_arguments(document: Document, operation: Operation) -> list[Argument]:
    """A file, or a message of somebody else's making, is given as it is."""
    if operation.takes_file:
        return [Argument("file", "AsyncSource", None, "A path, an open file, bytes, or pieces of it.")]
    if _takes_message(document, operation):
        name = model_name(ref_name(operation.body or {}))
        return [Argument("message", f"models.{name} | Mapping[str, Any]")]
    return []


def _takes_message(document: Document, operation: Operation) -> bool:
    body = operation.body
    return body is not None and document.resolve(body).get("additionalProperties") is not False


def _body_arguments(document: Document, operation: Operation, taken: set[str]) -> dict[str, Argument]:
    """Fields as keywords. What the path says already is left out."""
    body = operation.body
    if body is None or _takes_message(document, operation):
        return {}
    schema = document.resolve(body)
    style = Style(document, prefix="models.", given=True)
    found = {}
    for key, value in schema["properties"].items():
        name = identifier(key)
        if name in taken:
            continue
        kind = style.annotation(value)
        if key in schema.get("required", ()):
            found[key] = Argument(name, kind, None, description(value))
        else:
            found[key] = Argument(name, union(kind, "UnsetType"), "UNSET", description(value))
    return found


def _query_argument(document: Document, parameter: Schema) -> Argument:
    style = Style(document, prefix="models.", given=True)
    schema = parameter["schema"]
    name = identifier(parameter["name"])
    text = _COMMON.get(name) or parameter.get("description") or description(schema)
    choices = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    kinds = []
    for one in choices:
        if one.get("type") == "array":
            kinds.append(style.annotation(one["items"]))
        kinds.append(style.annotation(one))
    kind = " | ".join(dict.fromkeys(kinds))
    if parameter["required"]:
        return Argument(name, kind, None, text)
    if name == "limit":
        size = max(schema["default"], min(schema["maximum"], _PAGE))
        return Argument(name, kind, str(size), f"{text} All pages are read, whatever it is.")
    return Argument(name, f"{kind} | None", "None", text)


def _header_text(operation: Operation, name: str) -> str:
    found = next(one for one in operation.parameters("header") if one["name"] == name)
    return _COMMON.get(identifier(name)) or str(found.get("description", ""))


def _parts(
    operation: Operation,
    path: list[Argument],
    first: list[Argument],
    body: dict[str, Argument],
    query: dict[str, Argument],
    headers: dict[str, Argument],
    *,
    organization: bool,
) -> list[str]:
    """The arguments of the helper."""
    parts = [f'"{operation.method}"', f'"{operation.path}"']
    if organization:
        parts.append("organization=organization")
    names = [one["name"] for one in operation.parameters("path") if one["name"] != "orgId"]
    if names:
        parts.append(f"values={_mapping(dict(zip(names, path, strict=True)))}")
    if query:
        parts.append(f"query={_mapping(query)}")
    if operation.takes_file:
        parts.append("upload=Upload(file)")
    elif any(one.name == "message" for one in first):
        parts.append("body=message")
    elif body:
        parts.append(f"body={_mapping(body)}")
    if headers:
        parts.append(f"headers={_mapping(headers)}")
    return parts


def _mapping(arguments: dict[str, Argument]) -> str:
    return "{" + ", ".join(f'"{key}": {one.name}' for key, one in arguments.items()) + "}"


def _result(document: Document, operation: Operation) -> Result:
    content, schema = operation.answer
    if content in {"text/csv", "application/x-ndjson"}:
        model = _exported(document, operation)
        return Result(f"AsyncExport[{model}]", "_export", model, awaited=False)
    if content != "application/json":
        return Result("str", "_text")
    found = document.resolve(schema)
    if not is_wrapper(found):
        return Result("dict[str, Any]", "_data")
    data = found["properties"]["data"]
    if data.get("type") == "array":
        model = f"models.{model_name(ref_name(data['items']))}"
        return Result(f"AsyncPages[{model}]", "_pages", model, awaited=False)
    if "$ref" in data:
        model = f"models.{model_name(ref_name(data))}"
        return Result(model, "_record", model)
    return Result("None", "_nothing")


def _exported(document: Document, operation: Operation) -> str:
    """What a line of NDJSON holds: a record of the list that the file is made of. A line of CSV isn't read."""
    if operation.answer[0] == "text/csv":
        return "dict[str, Any]"
    path = operation.path.removesuffix(".ndjson")
    for other in document.operations:
        if other.path == path and other.method == "GET":
            return str(_result(document, other).model)
    return "dict[str, Any]"
