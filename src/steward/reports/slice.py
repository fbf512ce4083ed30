from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Site, Slice


def site(_parts: Parts) -> Site:
    from steward.reports import pages

    return Site(pages=pages.PAGES)


SLICE = Slice(
    name="reports",
    site=site,
    menu=(MenuEntry(MenuGroup.RECORDS, 60, "Reports", "/app/reports", "report"),),
)
