from steward.kit.http.imports import import_route
from steward.kit.http.parents import Parent
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.sor_schedules import queries as schedules
from steward.sor_schedules.api import PUBLISHED_REFUSAL, SCHEDULES
from steward.sor_schedules.items import actions, queries
from steward.sor_schedules.items.model import (
    CODE_TAKEN,
    EXAMPLE,
    ItemQuery,
    NewRateItem,
    RateItem,
    RateItemChanges,
)

_ITEMS = Resource(
    tag=SCHEDULES.tag,
    path=SCHEDULES.path + "/{scheduleId}/items",
    id_name="itemId",
    gives=RateItem,
    example=EXAMPLE,
    table=queries.ITEMS,
    listing=queries.LISTING,
    parent=Parent("scheduleId", schedules.SCHEDULES),
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_ITEM_REFUSED = {409: f"{PUBLISHED_REFUSAL} Or: {CODE_TAKEN}"}


ROUTES: tuple[Route, ...] = (
    _ITEMS.list("listScheduleItems", "List schedule items", query=ItemQuery),
    *_ITEMS.exports("exportScheduleItems", "schedule items", query=ItemQuery),
    _ITEMS.create(
        actions.create,
        "createScheduleItem",
        "Create a schedule item",
        body=NewRateItem,
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
        body=RateItemChanges,
        body_example={"rateCents": 4400},
        refusals=_ITEM_REFUSED,
    ),
    _ITEMS.delete(
        actions.delete, "deleteScheduleItem", "Delete a schedule item", refusals={409: PUBLISHED_REFUSAL}
    ),
    import_route(
        _ITEMS,
        actions.import_csv,
        "importScheduleItems",
        "schedule items",
        "The columns are code, description, unit and rateCents; `id` names an item of this schedule that is there.",
        "code,description,unit,rateCents\nPLB-010,Renew isolating valve,each,4250\n",
        refusals={409: PUBLISHED_REFUSAL},
    ),
)
