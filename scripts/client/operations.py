"""Writes a class for each group of operations, for the async client; the other is made from it."""

from dataclasses import dataclass

from scripts.client.document import Document, Operation, Schema, is_wrapper, ref_name
from scripts.client.models import NOTE, library_imports
from scripts.client.names import BASES, group_class, group_module, identifier, model_name
from scripts.client.types import Style, description, docstring, union

# What a module imports if it has these words.
_LIBRARY = {
    "collections.abc": ("Mapping", "Sequence"),
    "typing": ("Any",),
    "msgspec": ("UNSET", "UnsetType"),
    "...": ("models",),
    "..._uploads": ("AsyncSource", "Upload"),
    "..exports": ("AsyncExport",),
    "..pages": ("AsyncPages",),
}
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
    imports = [*library_imports(_LIBRARY, body), f"from ..{module} import {base}"]
    return "\n".join([NOTE, *imports, f"\n\nclass {group_class(tag)}({base}):", body, ""])


def _method(document: Document, operation: Operation) -> str:
    path = {one["name"]: _path_argument(one) for one in operation.parameters("path")}
    own = []
    if path.pop("orgId", None):
        own = [Argument("organization", "str | None", "None", _COMMON["organization"])]
    whole = _whole_body(document, operation)
    body = _body_arguments(document, operation, {one.name for one in path.values()})
    query = {one["name"]: _query_argument(document, one) for one in operation.parameters("query")}
    headers = {one["name"]: _header_argument(one) for one in operation.parameters("header")}
    first = [*path.values(), *whole.values()]
    keywords = [*body.values(), *query.values(), *headers.values(), *own]
    keywords.sort(key=lambda one: one.default is not None)
    names = [one.name for one in first + keywords]
    if len(set(names)) != len(names):
        raise ValueError(f"{operation.id} has two arguments of one name: {names}")
    parts = [f'"{operation.method}"', f'"{operation.path}"', *(f"{one.name}={one.name}" for one in own)]
    parts += [*_mapping("values", path), *_mapping("query", query), *whole]
    parts += [*_mapping("body", body), *_mapping("headers", headers)]
    return _written(operation, first, keywords, _result(document, operation), parts)


def _mapping(name: str, arguments: dict[str, Argument]) -> list[str]:
    """One argument of the helper, which holds all of these; none if there are none."""
    given = ", ".join(f'"{key}": {one.name}' for key, one in arguments.items())
    return [f"{name}={{{given}}}"] if given else []


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


def _whole_body(document: Document, operation: Operation) -> dict[str, Argument]:
    """A file, or a message of somebody else's making, is given as it is: what the helper is handed, and the argument."""
    if operation.takes_file:
        text = "A path, an open file, bytes, or pieces of it."
        return {"upload=Upload(file)": Argument("file", "AsyncSource", None, text)}
    if _takes_message(document, operation):
        name = model_name(ref_name(operation.body or {}))
        return {"body=message": Argument("message", f"models.{name} | Mapping[str, Any]")}
    return {}


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
        kind, default = style.annotation(value), None
        if key not in schema.get("required", ()):
            kind, default = union(kind, "UnsetType"), "UNSET"
        found[key] = Argument(identifier(key), kind, default, description(value))
    return {key: one for key, one in found.items() if one.name not in taken}


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


def _header_argument(parameter: Schema) -> Argument:
    name = identifier(parameter["name"])
    return Argument(name, "str | None", "None", _COMMON.get(name) or parameter.get("description", ""))


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
