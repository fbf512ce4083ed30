"""`python -m bench.pages [page …] [--rounds N] [--seconds N] [--sizes N N] [--every] [--unwritten]`; bench/README.md explains."""

import argparse
import asyncio
import http.client
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from bench import cpu, processes, progress, report
from bench.command_line import parse
from bench.databases import make_database
from bench.load import BrokenRunError, find_wrk, run_wrk
from bench.pages.campus import Campus, build
from bench.pages.sessions import begin_session
from bench.progress import Expected
from bench.tenants import make_founder
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

# An asset that has an alert, and orders.
_ASSET = 0
SCENARIOS = {
    "page_today": "/app",
    "page_work_orders": "/app/work-orders",
    "page_asset": "/app/assets/{asset}",
}
DEFAULT = ("page_today", "page_work_orders")
# The first also has both organizations to make.
EXPECTED = {name: Expected(5 if number else 45, sides=2) for number, name in enumerate(SCENARIOS)}
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
        file.touch(mode=0o600)  # it holds a session
        file.write_bytes(
            f"GET {self.address(path)} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: steward_session={self.cookie}\r\n"
            "Accept-Encoding: gzip\r\n\r\n".encode()
        )
        return round(run_wrk(find_wrk(), self.port, file, seconds).per_second)

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
                raise RuntimeError(f"{path}: {answer.status}")
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


def _measure(sides: list[Side], name: str, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """By turns, so that what else happens on the machine happens to both."""
    path = (SCENARIOS | _OTHERS)[name]
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
    for side, rounds in zip(sides, found, strict=True):
        own, postgres, took = (statistics.median(column) for column in zip(*rounds, strict=True))
        figures[str(side.campus.size)] = {
            "cpu_ms": round(own + postgres, 2),
            "api_ms": round(own, 2),
            "postgres_ms": round(postgres, 2),
            "p50_ms": round(took, 2),
            "per_second": side.rate(path, max(1, round(options.seconds)), folder / f"{name}.requests"),
        }
    few, many = figures.values()
    return {**figures, "ratio": round(many["cpu_ms"] / few["cpu_ms"], 2)}


def _open(server_url: str, postgres_pid: int, folder: Path, size: int, stack: ExitStack) -> Side:
    url, campus, cookie, order = asyncio.run(_prepare(server_url, size))
    port, pid = stack.enter_context(processes.running_api(folder, url, folder / f"api-{size}.log"))
    return Side(campus, cookie, port, pid, postgres_pid, order)


def _read_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.pages", description="Pages among few and many records."
    )
    parser.add_argument("pages", nargs="*", metavar="page", help=f"of {', '.join((*SCENARIOS, *_OTHERS))}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of each round, about")
    parser.add_argument("--sizes", type=int, nargs=2, default=[1_000, 100_000])
    parser.add_argument("--every", action="store_true", help="those that aren't scenarios, too")
    options = parse(parser, words)
    known = SCENARIOS | _OTHERS
    if unknown := set(options.pages) - set(known):
        parser.error(f"no such page: {', '.join(sorted(unknown))}")
    options.pages = options.pages or list(known if options.every else SCENARIOS)
    return options


def main(words: list[str]) -> int:
    options = _read_options(words)
    figures: dict[str, Any] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(processes.temporary_folder())
        url, postgres_pid = stack.enter_context(processes.fresh_postgres(folder))
        sides = [_open(url, postgres_pid, folder, size, stack) for size in options.sizes]
        for name in options.pages:
            try:
                figures[name] = _measure(sides, name, options, folder)
                print(name, figures[name], flush=True)
            except BrokenRunError as error:
                print(f"{name}: FAILED: {error}", flush=True)
    if not options.unwritten:
        named = {name: found for name, found in figures.items() if name in SCENARIOS}
        print(f"written to {report.write_figures(named)}")
    return int(len(figures) < len(options.pages))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
