"""The navigation: the entries of all slices whose page the caller may see."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from steward.kit.security.permissions import Permission, is_met
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.page import WebPage
from steward.kit.web.slice import Slice

_GROUPS = list(MenuGroup)
_KEPT = 1024


class ShownMenu(msgspec.Struct, frozen=True):
    """Its links, and the keyboard shortcuts that lead to its pages."""

    links: Markup
    keys: Markup


def menu_entries(slices: Iterable[Slice]) -> list[MenuEntry]:
    """From top to bottom."""
    entries = [entry for one in slices for entry in one.menu]
    return sorted(entries, key=lambda entry: (_GROUPS.index(entry.group), entry.place))


class Menu:
    """What the layout shows of the menu. It is the same for all who may do the same, so that it is rendered once for them."""

    def __init__(
        self, entries: Sequence[MenuEntry], pages: Iterable[WebPage], templates: jinja2.Environment
    ) -> None:
        found = {page.path: page for page in pages if page.method == "GET"}
        self._entries = [(entry, found[entry.path].permission) for entry in entries if entry.path in found]
        self._macros: Any = templates.get_template("web/menu.html").module
        self._rendered = lru_cache(maxsize=_KEPT)(self._render)

    def shown(self, permissions: frozenset[Permission], path: str) -> ShownMenu:
        return self._rendered(
            permissions, frozenset(entry.path for entry, _ in self._entries if entry.is_at(path))
        )

    def _render(self, permissions: frozenset[Permission], here: frozenset[str]) -> ShownMenu:
        shown = [entry for entry, need in self._entries if need is None or is_met(need, permissions)]
        groups = [(group, [entry for entry in shown if entry.group is group]) for group in _GROUPS]
        links = self._macros.links([group for group in groups if group[1]], here)
        return ShownMenu(links, self._macros.keys({entry.path for entry in shown}))
