from steward.kit.events.topics import Topic
from steward.kit.security.permissions import Permission
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Slice, site_of
from steward.sor_quotations.model import CONSTRAINTS

SLICE = Slice(
    name="sor_quotations",
    tables=("sor_quotations",),
    constraints=CONSTRAINTS,
    site=site_of("steward.sor_quotations.api", "steward.sor_quotations.pages"),
    menu=(MenuEntry(MenuGroup.RECORDS, 40, "Quotations", "/app/quotations", "quotation"),),
    history={"quotation": None},
    topics={"sor.quotation": Topic("quotations", Permission.SOR_READ)},
)
