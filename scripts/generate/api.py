"""The API: a page for each tag of the document, by the same reading of it that `/docs` shows."""

from collections.abc import Iterable, Iterator

from scripts.generate.tables import NOTE, cell, table
from steward.kit.http.openapi.answers import Json
from steward.web.api_reference import OperationGroup, SchemaReference, groups, schemas
from steward.web.operations import Operation
from steward.web.schemas import SchemaField

_EXAMPLES = "<!-- run: e2e/test_api_examples.py -->"
# They stand in every path, or are described once for all operations.
_EVERYWHERE = {"orgId"}


def api_pages(document: Json) -> dict[str, str]:
    """By file name."""
    known = {schema.name: schema for schema in schemas(document)}
    found = groups(document)
    pages = {f"{group.slug}.md": _page(group, known) for group in found}
    return {"README.md": _overview(found), **pages}


def _overview(found: list[OperationGroup]) -> str:
    rows = [
        (
            f"[{cell(operation.summary)}]({group.slug}.md#{_slug(operation.summary)})",
            f"`{operation.method} {operation.path}`",
        )
        for group in found
        for operation in group.operations
    ]
    names = ", ".join(f"[{group.name}]({group.slug}.md)" for group in found)
    return (
        f"{NOTE}# API\n\nEvery operation of the API, from the document that the service shows at `/openapi.json`; at `/docs` each can be tried. "
        "What holds for all of them, such as pages, refusals and `Idempotency-Key`, is described in the [conventions](../conventions.md); "
        f"[errors](../errors.md) lists the refusals.\n\nBy subject: {names}.\n\n{table(('operation', 'request'), *rows)}"
    )


def _page(group: OperationGroup, known: dict[str, SchemaReference]) -> str:
    operations = "\n".join(_operation(operation) for operation in group.operations)
    used = sorted(_closure(_schemas_of(group.operations), known), key=str.lower)
    records = "\n".join(_record(known[name], set(used)) for name in used)
    head = f"{NOTE}# API: {group.name}\n\n{group.description}".rstrip()
    return f"{head}\n\n{operations}" + (f"\n## Records\n\n{records}" if used else "")


def _operation(operation: Operation) -> str:
    parts = [f"## {operation.summary}", f"`{operation.method} {operation.path}` · `{operation.anchor}`"]
    if operation.deprecated:
        parts.append("**Deprecated.**")
    if operation.description:
        parts.append(operation.description)
    parameters = [(place, field) for place, field in operation.parameters if field.name not in _EVERYWHERE]
    if parameters:
        rows = [
            (field, " (required)" if field.required else "", f"in the {place}") for place, field in parameters
        ]
        parts.append(_fields("parameter", rows, set()))
    if operation.body_schema or operation.body:
        parts.append(f"Body, `{operation.body_type}`{_named(operation.body_schema)}.")
    parts += [
        f"Answers {_answers(operation)}.",
        f"{_EXAMPLES}\n```sh\n{_curl(operation)}\n```",
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _answers(operation: Operation) -> str:
    good = [f"{one.status}{_named(one.schema)}" for one in operation.successes]
    refusals = ", ".join(one.status for one in operation.refusals)
    return ", ".join(good) + (f"; refusals: {refusals}" if refusals else "")


def _named(schema: str | None) -> str:
    return f" with [{schema}](#{schema.lower()})" if schema else ""


def _fields(head: str, rows: Iterable[tuple[SchemaField, str, str]], linked: set[str]) -> str:
    """Of fields with a mark behind their names, and a note behind their meanings."""
    return table(
        (head, "type", "meaning"),
        *(
            (f"`{field.name}`{mark}", cell(_type(field, linked)), cell(_meaning(field, note)))
            for field, mark, note in rows
        ),
    )


def _type(field: SchemaField, linked: set[str]) -> str:
    if field.schema in linked:
        return field.type.replace("object", f"[{field.schema}](#{field.schema.lower()})")
    return field.type


def _meaning(field: SchemaField, note: str) -> str:
    choices = ", ".join(f"`{choice}`" for choice in field.choices)
    # The bounds of a time are those of the calendar.
    rules = "" if "Unix seconds" in field.description else ", ".join(field.rules)
    said = [field.description.rstrip("."), choices, rules, note]
    return "; ".join(part for part in said if part)


def _record(schema: SchemaReference, linked: set[str]) -> str:
    said = f"{schema.description}\n\n" if schema.description else ""
    rows = [(field, "" if field.required else " (optional)", "") for field in schema.fields]
    return f"### {schema.name}\n\n{said}{_fields('field', rows, linked)}"


def _schemas_of(operations: Iterable[Operation]) -> Iterator[str]:
    for operation in operations:
        if operation.body_schema:
            yield operation.body_schema
        yield from (one.schema for one in operation.successes if one.schema)


def _closure(names: Iterable[str], known: dict[str, SchemaReference]) -> set[str]:
    """With what they hold in turn; a plain choice is described where it is used."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found or name not in known or not known[name].fields:
            continue
        found.add(name)
        waiting += [field.schema for field in known[name].fields if field.schema]
    return found


def _slug(heading: str) -> str:
    kept = "".join(letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")


def _curl(operation: Operation) -> str:
    """As a text file has it: lines of CSV end like all others."""
    return operation.snippets[0].code.strip().replace("\r\n", "\n")
