from typing import Any

from steward.kit.domain.csv_rows import MAX_ROWS, ImportQuery, ImportReport
from steward.kit.http.resource import Parent, Resource
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, Route
from steward.kit.security.permissions import Permission
from steward.sor_schedules import queries as schedules
from steward.sor_schedules.api import PUBLISHED_REFUSAL, SCHEDULES
from steward.sor_schedules.items import actions, queries
from steward.sor_schedules.items.model import CODE_TAKEN, EXAMPLE, Item, ItemChanges, ItemQuery, NewItem

_ITEMS = Resource(
    tag=SCHEDULES.tag,
    path=SCHEDULES.path + "/{scheduleId}/items",
    id_name="itemId",
    gives=Item,
    example=EXAMPLE,
    table=queries.ITEMS,
    listing=queries.LISTING,
    parent=Parent("scheduleId", schedules.SCHEDULES),
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_ITEM_REFUSED = {409: f"{PUBLISHED_REFUSAL} Or: {CODE_TAKEN}"}


async def _import(call: Call[str, ImportQuery]) -> Response:
    schedule_id = call.params["scheduleId"]
    return plain(
        await actions.import_csv(
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
    _ITEMS.list("listScheduleItems", "List schedule items", query=ItemQuery),
    *_ITEMS.exports("exportScheduleItems", "schedule items", query=ItemQuery),
    _ITEMS.create(
        actions.create,
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
        actions.change,
        "changeScheduleItem",
        "Change a schedule item",
        body=ItemChanges,
        body_example={"rateCents": 4400},
        refusals=_ITEM_REFUSED,
    ),
    _ITEMS.delete(
        actions.delete, "deleteScheduleItem", "Delete a schedule item", refusals={409: PUBLISHED_REFUSAL}
    ),
    _import_route(
        summary="Import schedule items",
        operation_id="importScheduleItems",
        description=f"Up to {MAX_ROWS} rows with the columns code, description, unit and rateCents; all of them or none. "
        "With `dryRun=true` nothing is stored, and the answer lists what is wrong, line by line.",
        body_example="code,description,unit,rateCents\nPLB-010,Renew isolating valve,each,4250\n",
        example=ImportReport(dry_run=False, rows=1, created=1, errors=[]),
        refusals={409: PUBLISHED_REFUSAL},
    ),
)
