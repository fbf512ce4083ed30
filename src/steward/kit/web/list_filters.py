"""The filters above a list: how they are shown, and what they mean to its query."""

from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

import msgspec

from steward.kit.db.lookup import Lookup
from steward.kit.domain.days import day_named, end_of, midnight
from steward.kit.domain.problems import Invalid

ME = "me"


class ListFilter(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    lookup: Lookup | None = None

    def parameters(self, text: str, _zone: tzinfo, _user: str | None) -> dict[str, str]:
        """What the filter means to the list's query, for the viewer in their time zone."""
        return {self.name: text}


class Choice(ListFilter, frozen=True, kw_only=True):
    """A filter with few values."""

    options: tuple[tuple[str, str], ...]
    kind: str = "choice"


class Pick(ListFilter, frozen=True, kw_only=True):
    """A filter whose value is searched for on the server. `extra` are values with a meaning of their own; `implies` is what
    else of the query goes with any value.
    """

    lookup: Lookup
    extra: tuple[tuple[str, str], ...] = ()
    implies: tuple[tuple[str, str], ...] = ()
    kind: str = "pick"

    def parameters(self, text: str, _zone: tzinfo, user: str | None) -> dict[str, str]:
        return {self.name: self._meant(text, user), **dict(self.implies)}

    def _meant(self, text: str, user: str | None) -> str:
        """Replaces `me` by the viewer's identifier."""
        if user is None or ME not in dict(self.extra):
            return text
        return ",".join(user if value == ME else value for value in text.split(","))


class Flag(ListFilter, frozen=True, kw_only=True):
    """A filter that is on or off."""

    kind: str = "flag"


# For lists of records that can be archived.
ARCHIVED = Flag(name="archived", title="Archived")


class Day(ListFilter, frozen=True, kw_only=True):
    """A filter for what touches a day of the viewer's calendar: `after` and `before` are the query's parameters for it."""

    after: str
    before: str
    kind: str = "day"

    def parameters(self, text: str, zone: tzinfo, _user: str | None) -> dict[str, str]:
        day = day_named(self.name, text)
        try:
            return {self.after: str(midnight(day, zone)), self.before: str(end_of(day, zone))}
        except (ValueError, OverflowError):
            raise Invalid(self.name, "is too far away") from None


def choices(values: Any, labels: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """The options of an enum, as people read them."""
    return tuple((str(value), (labels or {}).get(value, str(value))) for value in values)
