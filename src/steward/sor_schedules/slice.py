from steward.kit.events.topics import Topic
from steward.kit.security.permissions import Permission
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Searched, Slice, site_of
from steward.sor_schedules import queries

# Registers what the items are searched by, also where no site is made: `steward migrate` writes their search columns.
from steward.sor_schedules.items import queries as item_queries  # noqa: F401
from steward.sor_schedules.items.model import CONSTRAINTS as OF_ITEMS
from steward.sor_schedules.model import CONSTRAINTS

SLICE = Slice(
    name="sor_schedules",
    tables=("sor_items", "sor_schedules"),
    constraints={**CONSTRAINTS, **OF_ITEMS},
    site=site_of(
        "steward.sor_schedules.api",
        "steward.sor_schedules.items.api",
        "steward.sor_schedules.pages",
        "steward.sor_schedules.items.pages",
    ),
    menu=(MenuEntry(MenuGroup.RECORDS, 50, "Rates", "/app/schedules", "rate"),),
    searched=(Searched("Rates", queries.LOOKUP),),
    history={"schedule": None},
    topics={"sor.schedule": Topic("schedules", Permission.SOR_READ)},
)
