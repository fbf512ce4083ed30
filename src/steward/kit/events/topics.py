"""Topics of live updates: which events belong to which topic, and who may follow it."""

from collections.abc import Mapping

import msgspec

from steward.kit.domain.problems import Invalid
from steward.kit.security.permissions import Need


class Topic(msgspec.Struct, frozen=True):
    """With the narrower of two permissions a caller follows only their own records, where `own` is set."""

    name: str
    permission: Need
    own: bool = False


class Topics:
    """By the beginning of an event's type; None for events that reach live pages in another way."""

    def __init__(self, by_event: Mapping[str, Topic | None]) -> None:
        self._by_event = by_event
        self.names = frozenset(topic.name for topic in by_event.values() if topic is not None)

    def of(self, event_type: str) -> Topic | None:
        """By the longest beginning of the type that has an entry."""
        name = event_type
        while name:
            if name in self._by_event:
                return self._by_event[name]
            name = name.rpartition(".")[0]
        return None

    def require_known(self, names: frozenset[str]) -> frozenset[str]:
        if unknown := names - self.names:
            raise Invalid("topics", f"{min(unknown)} is none of {', '.join(sorted(self.names))}")
        return names
