"""The stream of events that a page listens to, as a browser reads it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.browser import BrowserClient


class LiveEvents:
    """Events in the order in which they come; comments and the time to wait are left out."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> tuple[str, Any]:
        name = ""
        for line in self._lines:
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                return name, json.loads(value)
        raise AssertionError("the stream has ended")

    def wait_for(self, name: str) -> Any:
        """The data of the next event of this name, whatever comes before it."""
        while True:
            found, data = self.next()
            if found == name:
                return data

    def is_over(self) -> bool:
        """Reads what is left; true once the server has ended it."""
        return not [line for line in self._lines if line.startswith("event")]


@contextmanager
def live_events(person: BrowserClient, query: str = "", *, base_url: str = "") -> Iterator[LiveEvents]:
    """From the moment at which nothing is missed any more."""
    with person.stream("GET", f"{base_url}/app/live{query}") as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        events = LiveEvents(answer.iter_lines())
        assert events.next() == ("hello", {})
        yield events
