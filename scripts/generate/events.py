"""The events: every type with its meaning and a payload, from the document."""

from scripts.generate.tables import NOTE, cell, table
from steward.kit.events.event_types import ALL
from steward.kit.http.openapi.answers import Json
from steward.web.api_reference import events as events_of
from steward.web.operations import EventReference

_INTRODUCTION = """\
Webhooks push them, the [change feed](../howto/follow-changes.md) returns them on request, and `GET /v2/event-types` lists their types.
`data.object` is the record after the change, `data.previousAttributes` holds what other values its fields had.
A webhook that asks for a group (`asset.*`) or for all (`*`) also gets the types that later versions bring.
An event is shown, and sent, to those who may read the record that it shows: the table names the permission of each type.
"""


def events(document: Json) -> str:
    known = events_of(document)
    overview = table(
        ("type", "when", "permission"),
        *(
            (f"[`{one.type}`](#{_slug(one.type)})", cell(one.summary), f"`{ALL[one.type].permission}`")
            for one in known
        ),
    )
    return f"{NOTE}# Events\n\n{_INTRODUCTION}\n{overview}\n" + "\n".join(_section(one) for one in known)


def _slug(heading: str) -> str:
    return heading.lower().replace(".", "")


def _section(event: EventReference) -> str:
    said = " ".join(part for part in (event.summary, event.description) if part)
    return f"## {event.type}\n\n{said}\n\n```json\n{event.example}\n```\n"
