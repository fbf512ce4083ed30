"""Schedules of rates in the web app: the list, the page of one with its rates, and the form for a new one."""

from typing import Any

import msgspec

from steward.kit.db.listing import Page
from steward.kit.domain.problems import Invalid
from steward.kit.http.decoding import convert_query
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import Choice, EmptyState, ListPage, choices
from steward.kit.web.page import Outcome, PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.kit.web.submit import submit
from steward.sor_schedules import actions, queries
from steward.sor_schedules import cells as schedule_cells
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
        Column("effective_from", "In effect from", schedule_cells.day),
        Column("effective_to", "Until", schedule_cells.day),
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


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    return View("sor_schedules/new.html", {"form": request.form}, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    schedule = await records.get(db, queries.SCHEDULES, tenant, request.params["scheduleId"])
    page, search_error = await _items(request, schedule)
    trail = await queries.versions(db, tenant, schedule.id, most=_VERSIONS)
    may_write = request.may(Permission.SOR_WRITE) and schedule.status is ScheduleStatus.DRAFT
    values = {
        "schedule": schedule,
        "items": [msgspec.json.decode(item, type=RateItem) for item in page.items],
        "next_page": page.last_evaluated_key,
        "first_page": "lastEvaluatedKey" not in request.arguments,
        "q": request.arguments.get("q", ""),
        "search_error": search_error,
        "imported": request.arguments.get("imported", ""),
        "adding": "add" in request.arguments,
        "in_effect": in_effect(schedule, request.now),
        "people": await users.LOOKUP.names(db, tenant, [schedule.published_by, schedule.withdrawn_by]),
        "moves": [
            move
            for move in allowed_moves(request, MOVES, schedule.status, _MAY_MOVE)
            if move.verb != "supersede" or trail[0].id == schedule.id
        ],
        "trail": trail,
        "may_write": may_write,
        "form": request.form,
        "path": f"{PATH}/{schedule.id}",
        "panels": await request.panels("schedule", schedule.id),
    }
    return View("sor_schedules/one.html", values, status, fragments={"items": "sor_schedules/items.html"})


async def _items(request: PageRequest[Any, Any], schedule: Schedule) -> tuple[Page, str | None]:
    """By code. A text too short to search for leaves the list as it is, and says why."""
    given = {name: request.arguments[name] for name in ("q", "lastEvaluatedKey") if name in request.arguments}
    paging = {"sort": "code", "limit": _ITEMS_ON_A_PAGE}

    async def page(arguments: dict[str, str]) -> Page:
        query: ItemQuery = convert_query(ItemQuery, arguments)
        return await items.LISTING.page(
            request.db, request.cursors, request.caller.tenant, query, parent_id=schedule.id
        )

    try:
        return await page({**given, **paging}), None
    except Invalid as error:
        if "lastEvaluatedKey" in given:
            raise
        return await page(paging), error.details[0].message.capitalize() + "."


async def supersede(request: PageRequest[Any, Any]) -> Outcome:
    """Leads on to the draft of the next version."""
    id = request.params["scheduleId"]

    async def act(_: Any) -> Schedule:
        return await actions.supersede(request.context.on(id))

    return await submit(
        request,
        act,
        to=lambda draft: RECORD.redirect_after(request, draft.id),
        again=lambda status: show_one(request, status),
        name="supersede",
    )


_MAY_MOVE = {row.verb: Permission.SOR_WRITE for row in MOVES.rows}

RECORD = RecordPages(
    path=PATH,
    id_name="scheduleId",
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
    show=show_one,
    show_new=show_new,
)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    RECORD.new(),
    RECORD.create(actions.create, form=NewSchedule),
    RECORD.read(),
    RECORD.change(actions.change, form=ScheduleChanges),
    RECORD.delete(actions.delete),
    RECORD.move("publish", actions.publish),
    RECORD.move_with("withdraw", actions.withdraw, form=Withdrawal),
    WebPage("POST", f"{RECORD.one}/supersede", supersede, Permission.SOR_WRITE),
)
