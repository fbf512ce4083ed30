from steward.kit.events.topics import Topic
from steward.kit.security.permissions import Permission
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Site, Slice
from steward.sor_quotations.model import CONSTRAINTS


def site(_parts: Parts) -> Site:
    from steward.sor_quotations import api, pages

    return Site(routes=api.ROUTES, pages=pages.PAGES, panels=pages.PANELS)


SLICE = Slice(
    name="sor_quotations",
    tables=("sor_quotations",),
    constraints=CONSTRAINTS,
    site=site,
    menu=(MenuEntry(MenuGroup.RECORDS, 40, "Quotations", "/app/quotations", "quotation"),),
    history={"quotation": None},
    topics={"sor.quotation": Topic("quotations", Permission.SOR_READ)},
)
