"""Writes the modules of models: a Struct for each object of the document, an enum for each list of fixed words."""

import re
from collections.abc import Iterator, Mapping, Sequence

from scripts.client.document import EVENT_OBJECTS, SHARED, Document, Schema, is_wrapper, ref_name, references
from scripts.client.names import constant, identifier, model_name
from scripts.client.types import Style, description, docstring, union

NOTE = '"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""\n'
# What a module imports if it has these words.
_LIBRARY = {
    "collections.abc": ("Mapping", "Sequence"),
    "typing": ("Any", "Literal", "TypeAlias"),
    "msgspec": ("UNSET", "UnsetType"),
    ".._answers": ("Model", "OpenEnum", "Record"),
}


def model_modules(document: Document) -> dict[str, str]:
    """By file name."""
    modules: dict[str, list[str]] = {}
    for name in document.schemas:
        if place := document.place(name):
            modules.setdefault(place, []).append(name)
    files = {f"{place}.py": _module(document, place, names) for place, names in sorted(modules.items())}
    files["__init__.py"] = _package(modules, document)
    return files


def _package(modules: dict[str, list[str]], document: Document) -> str:
    """The objects of events are left to their own module: they are many, and few want them."""
    lines = [NOTE]
    exported = []
    for place in sorted(modules):
        if place == EVENT_OBJECTS:
            continue
        names = sorted(name for one in modules[place] for name in _defined(one, document))
        exported += names
        lines.append(f"from .{place} import {', '.join(names)}")
    listed = ",".join(f'"{name}"' for name in sorted(exported))
    return "\n".join([*lines, f"\n__all__ = [{listed}]\n"])


def _defined(name: str, document: Document) -> list[str]:
    found = model_name(name)
    return [found, f"{found}Like"] if "enum" in document.schemas[name] else [found]


def _module(document: Document, place: str, names: list[str]) -> str:
    body = [_definition(document, name) for name in _ordered(document, names)]
    if place == EVENT_OBJECTS:
        rows = [f'"{kind}": {model_name(name)},' for kind, name in document.event_objects.items()]
        body.append(
            "# What `data.object` of an event of this type is.\nOBJECTS: dict[str, type[Model]] = {"
            + "".join(rows)
            + "}"
        )
    text = "\n\n\n".join(body)
    return "\n".join([NOTE, *_imports(document, place, names, text), "\n", text, ""])


def library_imports(library: Mapping[str, Sequence[str]], text: str) -> Iterator[str]:
    """What a module of this text needs of the library: the words of each module that it uses."""
    for module, words in library.items():
        if used := [word for word in words if _used(word, text)]:
            yield f"from {module} import {', '.join(used)}"


def _imports(document: Document, place: str, names: list[str], text: str) -> Iterator[str]:
    yield from library_imports(_LIBRARY, text)
    if "msgspec." in text:
        yield "import msgspec"
    wanted: dict[str, set[str]] = {}
    for name in names:
        for other in references(document.schemas[name]):
            used = [word for word in _defined(other, document) if _used(word, text)]
            wanted.setdefault(document.place(other) or place, set()).update(used)
    wanted.pop(place, None)
    if wanted and place == SHARED:
        raise LookupError(f"what is shared needs what is not: {wanted}")
    for where, others in sorted(wanted.items()):
        yield f"from .{where} import {', '.join(sorted(others))}"


def _used(word: str, text: str) -> bool:
    return re.search(rf"\b{word}\b", text) is not None


def _ordered(document: Document, names: list[str]) -> list[str]:
    """What is referred to comes first; otherwise by name."""
    placed: list[str] = []

    def place(name: str) -> None:
        if name in placed or name not in names:
            return
        for other in sorted(set(references(document.schemas[name])) - {name}):
            place(other)
        placed.append(name)

    for name in sorted(names):
        place(name)
    return placed


def _definition(document: Document, name: str) -> str:
    schema = document.schemas[name]
    return _enum(name, schema) if "enum" in schema else _struct(document, name, schema)


def _enum(name: str, schema: Schema) -> str:
    members = "\n".join(f"    {_member(value)}" for value in schema["enum"])
    words = ", ".join(repr(value) for value in schema["enum"])
    return f"class {name}(OpenEnum):\n{members}\n\n\n{name}Like: TypeAlias = {name} | Literal[{words}]"


def _member(value: str) -> str:
    # Of what a list is sorted by, the other way round.
    name = f"{constant(value)}_DESCENDING" if value.startswith("-") else constant(value)
    # The linter takes some words for passwords.
    remark = "  # noqa: S105" if "PASS" in name else ""
    return f"{name} = {value!r}{remark}"


def _struct(document: Document, name: str, schema: Schema) -> str:
    tag = next((key for key, value in schema["properties"].items() if "const" in value), None)
    options = ""
    if tag is not None:
        options = f', tag_field="{tag}", tag={schema["properties"][tag]["const"]!r}'
    base = "Record" if _is_answer(document, name) else "Model"
    lines = [f"class {model_name(name)}({base}, kw_only=True{options}):"]
    if text := description(schema):
        lines.append(f"    {docstring(text, 4)}\n")
    style = Style(document, given=name not in document.read and document.place(name) != EVENT_OBJECTS)
    for key, value in schema["properties"].items():
        if key != tag:
            lines += _field(style, key, value, required=key in schema.get("required", ()))
    if len(lines) == 1:
        lines.append("    pass")
    return "\n".join(lines)


def _field(style: Style, key: str, schema: Schema, *, required: bool) -> Iterator[str]:
    kind = style.annotation(schema)
    default = None if required else _default(style, schema)
    if default == "UNSET":
        kind = union(kind, "UnsetType")
    if style.given and not required and schema.get("default", ...) is None and "None" not in kind:
        kind = union(kind, "None")
    attribute = identifier(key)
    if _camel(attribute) != key:
        given = "" if default is None else f", default={default}"
        default = f'msgspec.field(name="{key}"{given})'
    yield f"    {attribute}: {kind}" + ("" if default is None else f" = {default}")
    if text := description(schema):
        yield f"    {docstring(text, 4)}"


def _default(style: Style, schema: Schema) -> str:
    """What is absent is as the document says; where it says nothing, or in what is only sent, it is left out."""
    if style.given:
        return "UNSET"
    if "default" in schema:
        found = schema["default"]
        if "$ref" in schema and found is not None:
            return f"{model_name(ref_name(schema))}({found!r})"
        return repr(found)
    return "{}" if schema == {"type": "object"} else "UNSET"


def _camel(attribute: str) -> str:
    """As msgspec's `rename` does it."""
    first, *others = attribute.split("_")
    return first + "".join(one.title() for one in others)


def _is_answer(document: Document, name: str) -> bool:
    """Whether an answer is one of them, or a list of them."""
    wrapped = [one["properties"]["data"] for one in document.schemas.values() if is_wrapper(one)]
    return any(
        data.get("$ref", "").endswith(f"/{name}") for one in wrapped for data in (one, one.get("items", {}))
    )
