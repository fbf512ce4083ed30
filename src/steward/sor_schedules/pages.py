"""Schedules of rates in the web app: the list, the page of one with its rates, and the form for a new one."""

from typing import Any

import msgspec

from steward.kit.domain.problems import Invalid
from steward.kit.http.decoding import convert_query
from steward.kit.records.moves import Move
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import ListPart, PageRequest, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.sor_schedules import actions, queries
from steward.sor_schedules.items import queries as items
from steward.sor_schedules.items.model import ItemQuery, RateItem
from steward.sor_schedules.model import (
    NewSchedule,
    Schedule,
    ScheduleChanges,
    ScheduleQuery,
    ScheduleStatus,
    Withdrawal,
)
from steward.sor_schedules.rules import MOVES, in_effect
from steward.users import queries as users

PATH = "/app/schedules"
_ITEMS_ON_A_PAGE = "50"
_VERSIONS = 50

LIST = ListPage(
    path=PATH,
    title="Rates",
    listing=queries.LISTING,
    record=Schedule,
    query=ScheduleQuery,
    permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
    new="New schedule",
    search="Search by name",
    tabs="status",
    columns=(
        Column("name", "Schedule of rates", cells.link, sort="name"),
        Column("status", "Status", cells.status),
        Column("version", "Version", shown=False),
        Column("item_count", "Rates", cells.counted("rate")),
        Column("effective_from", "In effect from", cells.day),
        Column("effective_to", "Until", cells.day),
        Column("published_at", "Published", cells.when, shown=False),
        Column("published_by", "Published by", cells.name, lookup=users.LOOKUP, shown=False),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
    ),
    filters=(Choice(name="status", title="Status", options=choices(ScheduleStatus)),),
    empty=EmptyState(
        "No schedules of rates yet",
        "A schedule says what a unit of work costs, and from when until when. Make one with “New schedule”, and import "
        "its rates from a spreadsheet.",
    ),
)


class SchedulePage(msgspec.Struct, frozen=True, kw_only=True):
    schedule: Schedule
    items: ListPart[RateItem]
    search_error: str | None
    in_effect: bool
    people: dict[str, str]
    moves: list[Move[Schedule, Any]]
    # The versions, the newest first.
    trail: list[Schedule]
    may_write: bool
    path: str
    panels: list[RenderedPanel]


async def show_new(_request: PageRequest[Any, Any], status: int) -> View:
    return View("sor_schedules/new.html", status=status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    schedule = await request.get(queries.SCHEDULES, "scheduleId")
    items, search_error = await _items(request, schedule)
    trail = await queries.versions(request.db, request.tenant, schedule.id, most=_VERSIONS)
    page = SchedulePage(
        schedule=schedule,
        items=items,
        search_error=search_error,
        in_effect=in_effect(schedule, request.now),
        people=await request.names(users.LOOKUP, [schedule.published_by, schedule.withdrawn_by]),
        moves=[
            move
            for move in allowed_moves(request, MOVES, schedule.status, _MAY_MOVE)
            if move.verb != "supersede" or trail[0].id == schedule.id
        ],
        trail=trail,
        may_write=may_write(request, schedule),
        path=f"{PATH}/{schedule.id}",
        panels=await request.panels("schedule", schedule.id),
    )
    return View("sor_schedules/one.html", page, status, fragments={"items": "sor_schedules/items.html"})


def may_write(request: PageRequest[Any, Any], schedule: Schedule) -> bool:
    return request.may(Permission.SOR_WRITE) and schedule.status is ScheduleStatus.DRAFT


async def _items(request: PageRequest[Any, Any], schedule: Schedule) -> tuple[ListPart[RateItem], str | None]:
    """By code. A text too short to search for leaves the list as it is, and says why."""
    given = {name: request.arguments[name] for name in ("q", "lastEvaluatedKey") if name in request.arguments}
    paging = {"sort": "code", "limit": _ITEMS_ON_A_PAGE}

    async def part(arguments: dict[str, str]) -> ListPart[RateItem]:
        query: ItemQuery = convert_query(ItemQuery, arguments)
        return await request.part(items.LISTING, RateItem, query, within=schedule.id)

    try:
        return await part({**given, **paging}), None
    except Invalid as error:
        if "lastEvaluatedKey" in given:
            raise
        return await part(paging), error.details[0].message.capitalize() + "."


_MAY_MOVE = {row.verb: Permission.SOR_WRITE for row in MOVES.rows}

RECORD = RecordPages.of(LIST, "scheduleId", show_one, show_new)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    *RECORD.pages(actions.create, NewSchedule, actions.change, ScheduleChanges, actions.delete),
    RECORD.move("publish", actions.publish),
    RECORD.move_with("withdraw", actions.withdraw, form=Withdrawal),
    # Leads on to the draft of the next version.
    RECORD.move(
        "supersede", actions.supersede, to=lambda request, draft: RECORD.redirect_after(request, draft.id)
    ),
)
