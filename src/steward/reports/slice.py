from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Slice, site_of

SLICE = Slice(
    name="reports",
    site=site_of("steward.reports.pages"),
    menu=(MenuEntry(MenuGroup.RECORDS, 60, "Reports", "/app/reports", "report"),),
)
