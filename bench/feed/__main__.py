"""`python -m bench.feed [--events N N] [--pages N]`: what a page of the change feed costs among many events, by that among few.

One organization has 1,000 events, another 200,000 (or as `--events` says), both spread over the thirty days that are kept. Their pages are asked for
by turns, over one connection each: the first, one in the middle, the empty one at the end, and one of a type that one event in
fifty has. `ratio` is the median among many by that among few; at most 1.25 is taken for the same.
"""

import argparse
import asyncio
import base64
import http.client
import statistics
import sys
import time
from typing import Any
from urllib.parse import urlencode

import msgspec

from bench import progress
from bench.command_line import run
from bench.databases import tidy
from bench.feed.events import Reader, make_reader
from bench.load import BrokenRunError
from bench.processes import Server, fresh_server
from bench.progress import Expected
from steward.events.feed.actions import LISTING
from steward.events.feed.rules import written
from steward.kit.db.cursors import Cursors
from steward.kit.security.encryption import Encryption

EXPECTED = {"feed": Expected(30)}
_LIMIT = 100
_SAME = 1.25
_TYPE = "workorder.created"
# What is compiled, prepared and cached on the first times.
_WARM_UP = 5


def _queries(reader: Reader, cursors: Cursors) -> dict[str, dict[str, str]]:
    """The pages that are asked for."""

    def after(place: Any) -> str:
        return cursors.seal(reader.tenant, LISTING, {}, written(place))

    return {
        "first": {},
        "middle": {"after": after(reader.middle)},
        "end": {"after": after(reader.end)},
        "rare": {"type": _TYPE, "limit": "10"},
    }


class Caller:
    def __init__(self, port: int, reader: Reader) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._path = f"/v2/organizations/{reader.tenant}/events?"
        self._headers = {"X-API-Key": reader.key}

    def milliseconds(self, query: dict[str, str]) -> float:
        begun = time.perf_counter()
        self.asked(query)
        return (time.perf_counter() - begun) * 1000

    def asked(self, query: dict[str, str]) -> bytes:
        path = self._path + urlencode({"order": "asc", "limit": str(_LIMIT), **query})
        self._connection.request("GET", path, headers=self._headers)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise BrokenRunError(f"{path}: {answer.status} {body[:200]!r}")
        return body


def _measure(port: int, readers: list[Reader], cursors: Cursors, pages: int) -> dict[str, Any]:
    callers = [Caller(port, reader) for reader in readers]
    asked = [_queries(reader, cursors) for reader in readers]
    figures: dict[str, Any] = {}
    for number, kind in enumerate(asked[0], start=1):
        took: list[list[float]] = [[] for _ in readers]
        progress.tell("feed", number, len(asked[0]))
        for _ in range(_WARM_UP + pages):
            for times, caller, queries in zip(took, callers, asked, strict=True):
                times.append(caller.milliseconds(queries[kind]))
        few, many = (round(statistics.median(times[_WARM_UP:]), 2) for times in took)
        figures[kind] = {"few_ms": few, "many_ms": many, "ratio": round(many / few, 2)}
    return figures


def _walk(port: int, reader: Reader, pages: int) -> dict[str, int]:
    """How fast one reader gets on who asks for page after page with the cursor of the one before."""
    caller = Caller(port, reader)
    query: dict[str, str] = {}
    events, began = 0, time.perf_counter()
    for _ in range(pages):
        page = msgspec.json.decode(caller.asked(query))
        events += len(page["data"])
        query = {"after": page["lastEvaluatedKey"]}
    return {"limit": _LIMIT, "events_per_second": round(events / (time.perf_counter() - began))}


def feed(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    readers = [asyncio.run(make_reader(server.url, number)) for number in options.events]
    tidy(server.url)
    # Without a worker, which would drop the oldest days in the middle of it.
    with server.api() as (port, _):
        key = base64.b64decode((server.folder / "data" / "secret.key").read_text())
        figures = _measure(port, readers, Cursors(Encryption(key)), options.pages)
        walk = _walk(port, readers[-1], options.pages)
    if any(one["ratio"] > _SAME for one in figures.values()):
        raise BrokenRunError(f"pages cost more among many events: {figures}")
    return {"feed": {**figures, "events": [reader.events for reader in readers], "walk": walk}}


SCENARIOS = {"feed": feed}

if __name__ == "__main__":
    events = {"type": int, "nargs": 2, "default": [1_000, 200_000], "metavar": "N"}
    pages = {"type": int, "default": 100, "help": "of each kind; 100 by default"}
    sys.exit(run("bench.feed", SCENARIOS, lambda _options: fresh_server(), events=events, pages=pages))
