"""Search in the API reference: every word that was typed has to be found, the closest names come first."""

from collections.abc import Iterable

import msgspec

from steward.web.api_reference import OperationGroup, SchemaReference
from steward.web.operations import EventReference, Operation

EVENTS_PAGE = "/docs/event-types"
SCHEMAS_PAGE = "/docs/schemas"
MAX_RESULTS = 40


class SearchEntry(msgspec.Struct, frozen=True):
    """Something to be found. `names` are what it is called, `words` what else is said of it, in lower case."""

    kind: str
    title: str
    detail: str
    url: str
    method: str
    names: tuple[str, ...]
    words: str


def entries(
    groups: Iterable[OperationGroup],
    events: Iterable[EventReference],
    schemas: Iterable[SchemaReference],
    topics: Iterable[tuple[str, str]],
) -> list[SearchEntry]:
    found = [_entry("Topic", title, "", f"/docs#{anchor}") for anchor, title in topics]
    found += [_operation(group, one) for group in groups for one in group.operations]
    for event in events:
        url = f"{EVENTS_PAGE}#{event.anchor}"
        found.append(_entry("Event", event.type, event.summary, url, more=_names(event)))
    for schema in schemas:
        url, more = f"{SCHEMAS_PAGE}#{schema.name}", [*_names(schema), *schema.choices]
        found.append(_entry("Schema", schema.name, schema.description, url, more=more))
    return found


def _operation(group: OperationGroup, one: Operation) -> SearchEntry:
    fields = [field.name for field in (*(field for _, field in one.parameters), *one.body)]
    return _entry(
        group.name,
        one.summary,
        one.path,
        f"{group.path}#{one.anchor}",
        method=one.method,
        more=[one.anchor, one.description, group.name, *fields],
        names=(one.anchor, one.path, f"{one.method} {one.path}"),
    )


def _names(described: EventReference | SchemaReference) -> list[str]:
    return [field.name for field in described.fields]


def _entry(
    kind: str,
    title: str,
    detail: str,
    url: str,
    *,
    method: str = "",
    more: Iterable[str] = (),
    names: Iterable[str] = (),
) -> SearchEntry:
    words = " ".join([method, title, detail, *more]).lower()
    return SearchEntry(
        kind, title, detail, url, method, tuple(name.lower() for name in (title, *names)), words
    )


def search(index: Iterable[SearchEntry], query: str) -> list[SearchEntry]:
    """All that fit, best first; the order of the index decides between equals."""
    words = query.lower().split()
    if not words:
        return []
    whole = " ".join(words)
    found = [entry for entry in index if all(word in entry.words for word in words)]
    return sorted(found, key=lambda entry: _distance(entry, whole, words))


def _distance(entry: SearchEntry, whole: str, words: list[str]) -> int:
    """0: its very name; then a name that holds what was typed, a title with all the words, anything."""
    if whole in entry.names:
        return 0
    if any(whole in name for name in entry.names):
        return 1
    return 2 if all(word in entry.names[0] for word in words) else 3
