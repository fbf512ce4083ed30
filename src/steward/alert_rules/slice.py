from steward.alert_rules.actions import ApplyChange
from steward.alert_rules.alerts.model import TOPIC
from steward.alert_rules.model import CONSTRAINTS
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Site, Slice


def apply_change(_parts: Parts) -> ApplyChange:
    """The intake of readings does it, which comes after this slice."""
    raise LookupError("the wiring has not said how a changed rule is applied")


def site(parts: Parts) -> Site:
    from steward.alert_rules import api, pages
    from steward.alert_rules.alerts import api as alerts_api
    from steward.alert_rules.alerts import pages as alerts_pages

    apply = parts.once(apply_change)
    return Site(
        routes=(*api.routes(parts.bus, apply), *alerts_api.ROUTES),
        pages=(*alerts_pages.PAGES, *pages.pages(parts.bus, apply)),
        panels=(*alerts_pages.PANELS, *pages.PANELS),
    )


SLICE = Slice(
    name="alert_rules",
    tables=("alert_rule_changes", "alert_rules", "alerts"),
    constraints=CONSTRAINTS,
    site=site,
    menu=(MenuEntry(MenuGroup.DAY, 30, "Alerts", "/app/alerts", "alert", also=("/app/alert-rules",)),),
    topics={"alert": TOPIC},
)
