from steward.kit.events.topics import Topic
from steward.kit.security.permissions import Permission
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Searched, Site, Slice
from steward.sor_schedules import queries
from steward.sor_schedules.items.model import CONSTRAINTS as OF_ITEMS
from steward.sor_schedules.model import CONSTRAINTS


def site(_parts: Parts) -> Site:
    from steward.sor_schedules import api, pages
    from steward.sor_schedules.items import api as items_api
    from steward.sor_schedules.items import pages as items_pages

    return Site(routes=(*api.ROUTES, *items_api.ROUTES), pages=(*pages.PAGES, *items_pages.PAGES))


SLICE = Slice(
    name="sor_schedules",
    tables=("sor_items", "sor_schedules"),
    constraints={**CONSTRAINTS, **OF_ITEMS},
    site=site,
    menu=(MenuEntry(MenuGroup.RECORDS, 50, "Rates", "/app/schedules", "rate"),),
    searched=(Searched("Rates", queries.LOOKUP),),
    history={"schedule": None},
    topics={"sor.schedule": Topic("schedules", Permission.SOR_READ)},
)
