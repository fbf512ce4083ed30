"""`python -m bench.pages [page …] [--sizes N N]`; bench/README.md explains the figures."""

import argparse
import asyncio
import http.client
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench import cpu, progress
from bench.command_line import run
from bench.databases import make_database, tidy
from bench.load import BrokenRunError, run_wrk
from bench.pages.campus import Campus, build
from bench.pages.sessions import begin_session
from bench.processes import Server, fresh_server
from bench.progress import Expected
from bench.tenants import make_founder
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

# An asset that has an alert, and orders.
_ASSET = 0
_PAGES = {
    "page_today": "/app",
    "page_work_orders": "/app/work-orders",
    "page_asset": "/app/assets/{asset}",
}
DEFAULT = ("page_today", "page_work_orders")
# The first also has both organizations to make.
EXPECTED = {name: Expected(5 if number else 45, sides=2) for number, name in enumerate(_PAGES)}
# Shown and not kept.
_OTHERS = {
    "backlog": "/app/today/backlog.json",
    "orders_by_due": "/app/work-orders?sort=due",
    "orders_found": "/app/work-orders?q=boiler+leaks",
    "orders_one_found": "/app/work-orders?q=boiler+21+leaks",
    "orders_overdue": "/app/work-orders?overdue=true",
    "orders_of_nobody": "/app/work-orders?assigneeId=none",
    "orders_mine": "/app/work-orders?assigneeId=me&status=Open",
    "orders_mine_by_due": "/app/work-orders?assigneeId=me&sort=due",
    "orders_open_by_due": "/app/work-orders?status=Open&sort=due",
    "orders_overdue_by_due": "/app/work-orders?overdue=true&sort=due",
    "orders_found_by_due": "/app/work-orders?q=boiler+leaks&sort=due",
    "orders_at": "/app/work-orders?locationId={place}&status=Open",
    "board": "/app/work-orders/board",
    "board_mine": "/app/work-orders/board?assigneeId=me",
    "calendar": "/app/work-orders/calendar",
    "order": "/app/work-orders/{order}",
    "assets": "/app/assets",
    "assets_by_name": "/app/assets?sort=name",
    "assets_found": "/app/assets?q=boiler",
    "assets_found_by_name": "/app/assets?q=boiler&sort=name",
    "assets_offline": "/app/assets?connectionStatus=false",
    "assets_warning": "/app/assets?status=Warning&sort=name",
    "tree": "/app/assets/tree",
    "location": "/app/locations/{place}",
    "locations": "/app/locations",
    "alerts": "/app/alerts",
    "pick_asset": "/app/pick/asset?q=boiler",
    "pick_one_asset": "/app/pick/asset?q=boiler+21",
    "pick_short": "/app/pick/asset?q=bo",
    "pick_newest": "/app/pick/asset",
    "search_json": "/app/search.json?q=boiler",
    "search_number": "/app/search.json?q=921",
    "search": "/app/search?q=boiler+leaks",
}
# As much is asked for once before it counts.
_WARM_UP = 12


class Side(msgspec.Struct):
    """One organization, in a database of its own, with an API process of its own."""

    campus: Campus
    cookie: str
    port: int
    pid: int
    postgres_pid: int
    order: str

    def address(self, path: str) -> str:
        ids = {
            "asset": self.campus.asset_id(_ASSET),
            "place": self.campus.place_id(_ASSET),
            "order": self.order,
        }
        return path.format(**ids)

    def rate(self, path: str, seconds: int, file: Path) -> int:
        """Pages a second when many are asked for at once."""
        file.write_bytes(
            f"GET {self.address(path)} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: steward_session={self.cookie}\r\n"
            "Accept-Encoding: gzip\r\n\r\n".encode()
        )
        return round(run_wrk(self.port, file, seconds).per_second)

    def ask(self, path: str, count: int) -> tuple[float, float, float]:
        """Milliseconds of CPU of the API process and of PostgreSQL for each page, and how long the median took."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": f"steward_session={self.cookie}", "Accept-Encoding": "gzip"}
        own, postgres = cpu.seconds_of(self.pid), cpu.seconds_of_family(self.postgres_pid)
        took = []
        for _ in range(count):
            begun = time.perf_counter()
            connection.request("GET", self.address(path), headers=headers)
            answer = connection.getresponse()
            answer.read()
            took.append((time.perf_counter() - begun) * 1000)
            if answer.status != 200:
                raise BrokenRunError(f"{path}: {answer.status}")
        connection.close()
        own, postgres = cpu.seconds_of(self.pid) - own, cpu.seconds_of_family(self.postgres_pid) - postgres
        return own * 1000 / count, postgres * 1000 / count, statistics.median(took)


async def _prepare(server_url: str, size: int) -> tuple[str, Campus, str, str]:
    url = await make_database(server_url, f"pages_{size}")
    tenant = await make_founder(url, work_orders=0)
    campus = Campus(TenantId(tenant.id), tenant.user_id, size, clock.now())
    await build(url, campus)
    cookie = await begin_session(url, tenant)
    newest = max(order["id"] for order in campus.orders() if order["status"] == "Open")
    return url, campus, cookie, newest


class Stage(NamedTuple):
    server: Server
    sides: list[Side]


def _measure(name: str, stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    """By turns, so that what else happens on the machine happens to both."""
    path, sides = (_PAGES | _OTHERS)[name], stage.sides
    counts = []
    for side in sides:
        side.ask(path, _WARM_UP)
        counts.append(max(10, round(options.seconds * 1000 / max(1, side.ask(path, _WARM_UP)[2]))))
    found: list[list[tuple[float, float, float]]] = [[] for _ in sides]
    for number in range(1, options.rounds + 1):
        progress.tell(name, number, options.rounds)
        for side, rounds in zip(sides, found, strict=True):
            rounds.append(side.ask(path, min(counts)))
    figures: dict[str, Any] = {}
    file = stage.server.private_file(f"{name}.requests")
    for side, rounds in zip(sides, found, strict=True):
        own, postgres, took = (statistics.median(column) for column in zip(*rounds, strict=True))
        figures[str(side.campus.size)] = {
            "cpu_ms": round(own + postgres, 2),
            "api_ms": round(own, 2),
            "postgres_ms": round(postgres, 2),
            "p50_ms": round(took, 2),
            "per_second": side.rate(path, options.seconds, file),
        }
    few, many = figures.values()
    figures["ratio"] = round(many["cpu_ms"] / few["cpu_ms"], 2)
    if name in _PAGES:
        return {name: figures}
    print(name, figures, flush=True)
    return {}


_ALL = {name: partial(_measure, name) for name in _PAGES | _OTHERS}
SCENARIOS = {name: _ALL[name] for name in _PAGES}


@contextmanager
def _stage(sizes: list[int]) -> Iterator[Stage]:
    with ExitStack() as stack:
        server = stack.enter_context(fresh_server())
        sides = []
        for size in sizes:
            url, campus, cookie, order = asyncio.run(_prepare(server.url, size))
            tidy(url)
            port, pid = stack.enter_context(msgspec.structs.replace(server, url=url).api())
            sides.append(Side(campus, cookie, port, pid, server.postgres_pid, order))
        yield Stage(server, sides)


if __name__ == "__main__":
    sizes = {"type": int, "nargs": 2, "default": [1_000, 100_000], "metavar": "N"}
    opened = lambda options: _stage(options.sizes)  # noqa: E731 (it is one line of a value)
    sys.exit(run("bench.pages", _ALL, opened, default=tuple(SCENARIOS), seconds=2, sizes=sizes))
