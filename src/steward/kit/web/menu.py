"""Entries of the navigation: each slice says where its pages are found."""

from enum import StrEnum

import msgspec

HOME = "/app"


class MenuGroup(StrEnum):
    """The groups in their order, by their titles."""

    DAY = ""
    RECORDS = "Records"
    SET_UP = "Set up"


class MenuEntry(msgspec.Struct, frozen=True):
    """`place` orders the entries of a group; `also` are other paths at which the entry is highlighted."""

    group: MenuGroup
    place: int
    title: str
    path: str
    icon: str
    also: tuple[str, ...] = ()

    def is_at(self, path: str) -> bool:
        if self.path == HOME:
            return path == HOME
        return f"{path}/".startswith(tuple(f"{one}/" for one in (self.path, *self.also)))
