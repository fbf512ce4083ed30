"""The navigation: every screen in the order of the day's work. What somebody may not do isn't there."""

from collections.abc import Iterable

import msgspec

from steward.kit.security.caller import Caller
from steward.kit.security.permissions import is_met
from steward.kit.web.page import WebPage

_HOME = "/app"


class MenuEntry(msgspec.Struct, frozen=True):
    title: str
    path: str
    icon: str
    # Where else one is in it.
    also: tuple[str, ...] = ()

    def is_at(self, path: str) -> bool:
        if self.path == _HOME:
            return path == _HOME
        return any(path == one or path.startswith(f"{one}/") for one in (self.path, *self.also))


class MenuGroup(msgspec.Struct, frozen=True):
    title: str
    entries: tuple[MenuEntry, ...]


GROUPS = (
    MenuGroup(
        "",
        (
            MenuEntry("Today", _HOME, "today"),
            MenuEntry("Work orders", "/app/work-orders", "work"),
            MenuEntry("Alerts", "/app/alerts", "alert", also=("/app/alert-rules",)),
            MenuEntry("Assets", "/app/assets", "asset", also=("/app/asset-types",)),
            MenuEntry("Bookings", "/app/bookings", "calendar"),
            MenuEntry("Visitors", "/app/visitors", "visitor"),
        ),
    ),
    MenuGroup(
        "Know",
        (
            MenuEntry("Locations", "/app/locations", "location"),
            MenuEntry("Decks", "/app/decks", "deck"),
            MenuEntry("Forms", "/app/forms", "form"),
            MenuEntry("Quotations", "/app/quotations", "quotation"),
            MenuEntry("Rates", "/app/schedules", "rate"),
            MenuEntry("Reports", "/app/reports", "report"),
        ),
    ),
    MenuGroup(
        "Set up",
        (
            MenuEntry("Integrations", "/app/integrations", "plug", also=("/app/api-keys",)),
            MenuEntry("Settings", "/app/settings", "settings"),
        ),
    ),
)


class Menu:
    """Entries whose page there is, for those who may see it."""

    def __init__(self, pages: Iterable[WebPage]) -> None:
        self._pages = {page.path: page for page in pages if page.method == "GET"}

    def of(self, caller: Caller) -> list[MenuGroup]:
        groups = []
        for group in GROUPS:
            entries = tuple(entry for entry in group.entries if self._may_see(caller, entry))
            if entries:
                groups.append(MenuGroup(group.title, entries))
        return groups

    def _may_see(self, caller: Caller, entry: MenuEntry) -> bool:
        page = self._pages.get(entry.path)
        return page is not None and (page.permission is None or is_met(page.permission, caller.permissions))
