from typing import Any

from steward.kit.domain.csv_rows import MAX_ROWS, ImportQuery, ImportReport
from steward.kit.http.resource import Parent, Resource
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, Route
from steward.kit.security.permissions import Permission
from steward.sor_schedules import actions, queries
from steward.sor_schedules.items import actions as items
from steward.sor_schedules.model import (
    CODE_TAKEN,
    EXAMPLE,
    ITEM_EXAMPLE,
    Item,
    ItemChanges,
    ItemQuery,
    NewItem,
    NewSchedule,
    Schedule,
    ScheduleChanges,
    ScheduleQuery,
)

_SCHEDULES = Resource(
    tag="Schedules of rates",
    path="/organizations/{orgId}/sor/schedules",
    id_name="scheduleId",
    gives=Schedule,
    example=EXAMPLE,
    table=queries.SCHEDULES,
    listing=queries.LISTING,
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_ITEMS = Resource(
    tag="Schedules of rates",
    path="/organizations/{orgId}/sor/schedules/{scheduleId}/items",
    id_name="itemId",
    gives=Item,
    example=ITEM_EXAMPLE,
    table=queries.ITEMS,
    listing=queries.ITEM_LISTING,
    parent=Parent("scheduleId", queries.SCHEDULES),
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_PUBLISHED = "The schedule is published; neither it nor its items change any more."
_ITEM_REFUSED = {409: f"{_PUBLISHED} Or: {CODE_TAKEN}"}


async def _import(call: Call[str, ImportQuery]) -> Response:
    schedule_id = call.params["scheduleId"]
    return plain(
        await items.import_csv(
            call.db, call.caller, schedule_id, call.body, dry_run=call.query.dry_run, now=call.now
        )
    )


def _import_route(**more: Any) -> Route:
    return Route(
        method="POST",
        path=f"{_ITEMS.path}/import",
        handler=_import,
        tag=_ITEMS.tag,
        permission=_ITEMS.write_permission,
        gives=ImportReport,
        shape="plain",
        takes="text/csv",
        query=ImportQuery,
        **more,
    )


ROUTES: tuple[Route, ...] = (
    _SCHEDULES.list("listSchedulesOfRates", "List schedules of rates", query=ScheduleQuery),
    *_SCHEDULES.exports("exportSchedulesOfRates", "schedules of rates", query=ScheduleQuery),
    _SCHEDULES.create(
        actions.create,
        "createScheduleOfRates",
        "Create a schedule of rates",
        body=NewSchedule,
        body_example={
            "name": "Building fabric 2026",
            "effectiveFrom": 1767225600,
            "effectiveTo": 1798761600,
        },
    ),
    _SCHEDULES.read("readScheduleOfRates", "Read a schedule of rates"),
    _SCHEDULES.change(
        actions.change,
        "changeScheduleOfRates",
        "Change a schedule of rates",
        body=ScheduleChanges,
        body_example={"effectiveTo": 1798761600},
        refusals={409: _PUBLISHED},
    ),
    _SCHEDULES.delete(
        actions.delete,
        "deleteScheduleOfRates",
        "Delete a schedule of rates",
        description="Its items go with it.",
        refusals={409: _PUBLISHED},
    ),
    _SCHEDULES.move(
        "publish",
        actions.publish,
        "publishScheduleOfRates",
        "Publish a schedule of rates",
        description="Needs at least one item, and effectiveFrom before effectiveTo (422). From then on neither the "
        "schedule nor its items change.",
    ),
    _ITEMS.list("listScheduleItems", "List schedule items", query=ItemQuery),
    *_ITEMS.exports("exportScheduleItems", "schedule items", query=ItemQuery),
    _ITEMS.create(
        items.create,
        "createScheduleItem",
        "Create a schedule item",
        body=NewItem,
        body_example={
            "code": "PLB-010",
            "description": "Renew isolating valve, 15 mm",
            "unit": "each",
            "rateCents": 4250,
        },
        refusals=_ITEM_REFUSED,
    ),
    _ITEMS.read("readScheduleItem", "Read a schedule item"),
    _ITEMS.change(
        items.change,
        "changeScheduleItem",
        "Change a schedule item",
        body=ItemChanges,
        body_example={"rateCents": 4400},
        refusals=_ITEM_REFUSED,
    ),
    _ITEMS.delete(items.delete, "deleteScheduleItem", "Delete a schedule item", refusals={409: _PUBLISHED}),
    _import_route(
        summary="Import schedule items",
        operation_id="importScheduleItems",
        description=f"Up to {MAX_ROWS} rows with the columns code, description, unit and rateCents; all of them or none. "
        "With `dryRun=true` nothing is stored, and the answer lists what is wrong, line by line.",
        body_example="code,description,unit,rateCents\nPLB-010,Renew isolating valve,each,4250\n",
        example=ImportReport(dry_run=False, rows=1, created=1, errors=[]),
        refusals={409: _PUBLISHED},
    ),
)
