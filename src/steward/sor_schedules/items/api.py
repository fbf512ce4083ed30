from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission
from steward.sor_schedules.api import PUBLISHED_REFUSAL, SCHEDULES
from steward.sor_schedules.items import actions, queries
from steward.sor_schedules.items.model import CODE_TAKEN, EXAMPLE, ItemQuery, NewRateItem, RateItemChanges

_ITEMS = Resource(
    noun="schedule item",
    path=f"{SCHEDULES.path}{SCHEDULES.item}/items",
    example=EXAMPLE,
    table=queries.ITEMS,
    listing=queries.LISTING,
    query=ItemQuery,
    parent=SCHEDULES,
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_ITEM_REFUSED = {409: f"{PUBLISHED_REFUSAL} Or: {CODE_TAKEN}"}


ROUTES = (
    *_ITEMS.reads(),
    _ITEMS.create(
        actions.create,
        NewRateItem,
        body_example={
            "code": "PLB-010",
            "description": "Renew isolating valve, 15 mm",
            "unit": "each",
            "rateCents": 4250,
        },
        refusals=_ITEM_REFUSED,
    ),
    _ITEMS.change(actions.change, RateItemChanges, body_example={"rateCents": 4400}, refusals=_ITEM_REFUSED),
    _ITEMS.delete(actions.delete, refusals={409: PUBLISHED_REFUSAL}),
    _ITEMS.import_csv(
        actions.import_csv,
        "The columns are code, description, unit and rateCents; `id` names an item of this schedule that is there.",
        "code,description,unit,rateCents\nPLB-010,Renew isolating valve,each,4250\n",
        refusals={409: PUBLISHED_REFUSAL},
    ),
)
