"""Pages of the web app among a thousand assets and work orders, and among a hundred times as many, by turns."""

import asyncio
import statistics
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from tests.support.databases import fetch_rows

from bench import cpu
from bench.databases import make_database, pooled, tidy
from bench.load import Caller, Request, run_wrk, write_requests
from bench.pages.campus import Campus, build
from bench.processes import Server, fresh_server
from bench.rounds import medians
from bench.scenario import Expected, Run, Scenario, Suite
from bench.tenants import make_founder
from steward.access import sessions
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

_SIZES = (1_000, 100_000)
_PAGES = {
    "page_today": "/app",
    "page_work_orders": "/app/work-orders",
    # One that has an alert, and orders.
    "page_asset": "/app/assets/{asset}",
}
_GENERATION = """SELECT a.generation FROM memberships m JOIN accounts a ON a.id = m.account_id
                 WHERE m.organization_id = $1 AND m.user_id = $2"""
# As much is asked for once before it counts.
_WARM_UP = 12


class Side(msgspec.Struct):
    """One organization, in a database of its own, with an API process of its own."""

    campus: Campus
    cookie: str
    port: int
    pid: int
    postgres_pid: int

    def address(self, name: str) -> str:
        return _PAGES[name].format(asset=self.campus.asset_id(0))

    def headers(self) -> dict[str, str]:
        return {"Cookie": f"steward_session={self.cookie}", "Accept-Encoding": "gzip"}

    def rate(self, name: str, seconds: int, file: Path) -> int:
        """Pages a second when many are asked for at once."""
        write_requests([Request("GET", self.address(name), self.headers())], file)
        return round(run_wrk(self.port, file, seconds).per_second)

    def ask(self, name: str, count: int) -> dict[str, float]:
        """Milliseconds of CPU of the API process and of PostgreSQL for each page, and how long the median took."""
        caller = Caller(self.port, self.headers())
        api, postgres = cpu.seconds_of(self.pid), cpu.seconds_of_family(self.postgres_pid)
        took = [caller.ask("GET", self.address(name)).milliseconds for _ in range(count)]
        return {
            "api_ms": (cpu.seconds_of(self.pid) - api) * 1000 / count,
            "postgres_ms": (cpu.seconds_of_family(self.postgres_pid) - postgres) * 1000 / count,
            "p50_ms": statistics.median(took),
        }


class Stage(NamedTuple):
    server: Server
    sides: list[Side]


async def _prepare(server_url: str, size: int) -> tuple[str, Campus, str]:
    url = await make_database(server_url, f"pages_{size}")
    tenant = await make_founder(url)
    campus = Campus(TenantId(tenant.id), tenant.user_id, size, clock.now())
    await build(url, campus)
    [[generation]] = await fetch_rows(url, _GENERATION, tenant.id, tenant.user_id)
    async with pooled(url) as pool:
        cookie = await sessions.begin(pool, campus.tenant, campus.viewer, generation, now=campus.now)
    return url, campus, cookie


@contextmanager
def _stage() -> Iterator[Stage]:
    with ExitStack() as stack:
        server = stack.enter_context(fresh_server())
        sides = []
        for size in _SIZES:
            url, campus, cookie = asyncio.run(_prepare(server.url, size))
            tidy(url)
            port, pid = stack.enter_context(msgspec.structs.replace(server, url=url).api())
            sides.append(Side(campus, cookie, port, pid, server.postgres_pid))
        yield Stage(server, sides)


def _measure(stage: Stage, run: Run) -> dict[str, Any]:
    """By turns, so that what else happens on the machine happens to both."""
    counts = []
    for side in stage.sides:
        side.ask(run.name, _WARM_UP)
        counts.append(max(10, round(run.seconds * 1000 / max(1, side.ask(run.name, _WARM_UP)["p50_ms"]))))
    turns = [[side.ask(run.name, min(counts)) for side in stage.sides] for _ in run.each(range(run.rounds))]
    figures: dict[str, Any] = {}
    file = stage.server.private_file(f"{run.name}.requests")
    for which, side, rounds in zip(("few", "many"), stage.sides, zip(*turns, strict=True), strict=True):
        found = medians(rounds)
        found["cpu_ms"] = found["api_ms"] + found["postgres_ms"]
        figures[which] = {
            "size": side.campus.size,
            "per_second": side.rate(run.name, run.seconds, file),
            **{name: round(value, 2) for name, value in found.items()},
        }
    return {**figures, "ratio": round(figures["many"]["cpu_ms"] / figures["few"]["cpu_ms"], 2)}


SUITE = Suite(
    _stage,
    {name: Scenario(_measure, Expected(5, sides=2), default=name != "page_asset") for name in _PAGES},
    opening_seconds=40,
)
