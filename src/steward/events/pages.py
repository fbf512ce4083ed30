"""Events in the web app: the log, the catalogue, and the history on a record's own page."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from steward.api_keys import queries as api_keys
from steward.assets import queries as assets
from steward.events import actions, queries, rules
from steward.events import cells as event_cells
from steward.events.model import EventQuery, EventTypeDescription, HistoryEntry, StoredEvent
from steward.kit.events.visibility import may_read
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Need, Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Panel, View, WebPage
from steward.kit.web.slice import Slice
from steward.locations import queries as locations
from steward.users import queries as users

PATH = "/app/integrations/events"
_NEWEST = 50
_LOOKUPS = {"usr": users.LOOKUP, "loc": locations.LOOKUP, "ast": assets.LOOKUP}
_KEY = "key"


class HistoryPanel(msgspec.Struct, frozen=True):
    entries: list[HistoryEntry]
    # Of what the entries mention.
    names: dict[str, str]


class EventPage(msgspec.Struct, frozen=True):
    event: StoredEvent
    description: str | None
    content: str


class EventTypesPage(msgspec.Struct, frozen=True):
    groups: dict[str, list[EventTypeDescription]]


async def history(need: Need | None, request: PageRequest[Any, Any], id: str) -> View | None:
    """For everyone who may see the record: it shows nothing that wasn't on its page before.

    `need` is the permission to read the record, where there is a narrow one.
    """
    own = None if need is None else request.caller.own_records_only(need)
    entries = rules.history(await queries.about(request.db, request.tenant, id, _NEWEST), own)
    if not entries:
        return None
    names: dict[str, str] = {}
    for prefix, lookup in _LOOKUPS.items():
        names |= await request.names(lookup, rules.mentioned(entries, prefix))
    if request.may(Permission.API_KEYS_READ):
        names |= await api_keys.names(request.db, request.tenant, rules.mentioned(entries, _KEY))
    return View("events/history.html", HistoryPanel(entries, names))


def panels(slices: Iterable[Slice]) -> tuple[Panel, ...]:
    needs = {noun: need for one in slices for noun, need in one.history.items()}
    return tuple(Panel(noun, "history", "History", partial(history, need)) for noun, need in needs.items())


async def show_one(request: PageRequest[Any, Any]) -> View:
    found = await actions.read(request.context.on(request.params["eventId"]))
    event = msgspec.json.decode(found.body, type=StoredEvent)
    content = msgspec.json.format(found.body, indent=2).decode()
    return View("events/one.html", EventPage(event, rules.description(event.type), content))


async def show_types(_request: PageRequest[Any, Any]) -> View:
    return View("events/types.html", EventTypesPage(rules.by_group(rules.catalogue())))


def _log(viewer: Caller) -> ListPage[StoredEvent]:
    """With the types that the viewer may read."""
    return ListPage(
        path=PATH,
        title="Events",
        listing=queries.LISTING,
        record=StoredEvent,
        query=EventQuery,
        permission=Permission.EVENTS_READ,
        narrowed=rules.visible_query,
        template="events/log.html",
        results="events/log_results.html",
        columns=(
            Column("type", "Type", cells.link),
            Column("data", "About", event_cells.about),
            Column("created", "When", cells.when),
            Column("id", "ID", cells.code, shown=False),
        ),
        filters=(
            Choice(
                name="type",
                title="Type",
                options=tuple(
                    (kind.type, rules.label(kind.type))
                    for kind in rules.catalogue()
                    if may_read(kind.type, viewer.permissions)
                ),
            ),
        ),
        empty=EmptyState(
            "Nothing has happened yet",
            "Changes to the records that you may see are listed here, for 30 days.",
        ),
    )


async def show_log(request: PageRequest[Any, Any]) -> View:
    return await _log(request.caller).show(request)


def pages() -> tuple[WebPage, ...]:
    return (
        # No CSV: an event's content differs from type to type. The API exports them as JSON.
        WebPage("GET", PATH, show_log, Permission.EVENTS_READ),
        WebPage("GET", f"{PATH}/{{eventId}}", show_one, Permission.EVENTS_READ),
        WebPage("GET", "/app/integrations/event-types", show_types, Permission.EVENTS_READ),
    )
