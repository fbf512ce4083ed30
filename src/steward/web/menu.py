"""The navigation: the entries of all slices whose page the caller may see."""

from collections.abc import Iterable, Sequence

import msgspec

from steward.kit.security.caller import Caller
from steward.kit.security.permissions import is_met
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.page import WebPage
from steward.kit.web.slice import Slice

_GROUPS = list(MenuGroup)


class ShownGroup(msgspec.Struct, frozen=True):
    title: str
    entries: tuple[MenuEntry, ...]


def menu_entries(slices: Iterable[Slice]) -> list[MenuEntry]:
    """From top to bottom."""
    entries = [entry for one in slices for entry in one.menu]
    return sorted(entries, key=lambda entry: (_GROUPS.index(entry.group), entry.place))


class Menu:
    def __init__(self, entries: Sequence[MenuEntry], pages: Iterable[WebPage]) -> None:
        self._entries = entries
        self._pages = {page.path: page for page in pages if page.method == "GET"}

    def of(self, caller: Caller) -> list[ShownGroup]:
        shown = [entry for entry in self._entries if self._may_see(caller, entry)]
        groups = (
            ShownGroup(group, tuple(entry for entry in shown if entry.group is group)) for group in _GROUPS
        )
        return [group for group in groups if group.entries]

    def _may_see(self, caller: Caller, entry: MenuEntry) -> bool:
        page = self._pages.get(entry.path)
        return page is not None and (page.permission is None or is_met(page.permission, caller.permissions))
