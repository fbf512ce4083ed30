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
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg
import msgspec

from bench import processes, progress, report
from bench.command_line import parse
from bench.feed.events import Reader, make_reader
from bench.progress import Expected
from steward.events.feed.actions import LISTING
from steward.events.feed.rules import written
from steward.kit.db.cursors import Cursors
from steward.kit.security.encryption import Encryption
from steward.wiring.schema import migrate

EXPECTED = {"feed": Expected(30)}
_LIMIT = 100
_SAME = 1.25
_TYPE = "workorder.created"


async def _make_readers(url: str, numbers: list[int]) -> list[Reader]:
    await migrate(url)
    readers = [await make_reader(url, number) for number in numbers]
    connection = await asyncpg.connect(url)
    await connection.execute("VACUUM (ANALYZE)", timeout=600)
    await connection.execute("CHECKPOINT", timeout=600)
    await connection.close()
    return readers


def _queries(reader: Reader, cursors: Cursors) -> dict[str, dict[str, str]]:
    """The pages that are asked for, each with how many events it must hold."""

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

    def timed(self, query: dict[str, str]) -> tuple[float, int]:
        """Milliseconds, and how many bytes came."""
        begun = time.perf_counter()
        body = self.asked(query)
        return (time.perf_counter() - begun) * 1000, len(body)

    def asked(self, query: dict[str, str]) -> bytes:
        path = self._path + urlencode({"order": "asc", "limit": str(_LIMIT), **query})
        self._connection.request("GET", path, headers=self._headers)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:200]!r}")
        return body


def _measure(port: int, readers: list[Reader], cursors: Cursors, pages: int) -> dict[str, Any]:
    callers = [Caller(port, reader) for reader in readers]
    asked = [_queries(reader, cursors) for reader in readers]
    figures: dict[str, Any] = {}
    for kind in asked[0]:
        took: list[list[float]] = [[] for _ in readers]
        progress.tell("feed", 1 + list(asked[0]).index(kind), len(asked[0]))
        for number in range(pages + 5):
            for times, caller, queries in zip(took, callers, asked, strict=True):
                milliseconds, _ = caller.timed(queries[kind])
                # What is compiled, prepared and cached on the first times.
                if number >= 5:
                    times.append(milliseconds)
        few, many = (round(statistics.median(times), 2) for times in took)
        figures[kind] = {"few_ms": few, "many_ms": many, "ratio": round(many / few, 2)}
        print(
            f"{kind:8} {few:8.2f} ms among few, {many:8.2f} ms among many, ratio {many / few:.2f}", flush=True
        )
    return figures


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.feed", description="Pages of the change feed.")
    parser.add_argument("--events", type=int, nargs=2, default=[1_000, 200_000], metavar="N")
    parser.add_argument("--pages", type=int, default=100, help="of each kind; 100 by default")
    options = parse(parser, words)
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        readers = asyncio.run(_make_readers(url, options.events))
        # Without a worker, which would drop the oldest days in the middle of it.
        with processes.running_api(folder, url, folder / "api.log") as (port, _):
            cursors = Cursors(Encryption(_secret_key(folder)))
            figures = _measure(port, readers, cursors, options.pages)
            walk = _walk(port, readers[-1], options.pages)
            print(f"{walk['events_per_second']:,} events a second to one reader")
    dearer = [kind for kind, one in figures.items() if one["ratio"] > _SAME]
    figures |= {"events": [reader.events for reader in readers], "walk": walk}
    if not options.unwritten:
        print(f"written to {report.write_figures({'feed': figures})}")
    if dearer:
        print(f"dearer among many events: {', '.join(dearer)}", file=sys.stderr)
    return 1 if dearer else 0


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


def _secret_key(folder: Path) -> bytes:
    return base64.b64decode((folder / "data" / "secret.key").read_text())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
