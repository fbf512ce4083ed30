"""`python -m bench.compression [--rounds N] [--requests N]`: what packing an answer costs, and what it saves on the way.

The same answers of one API process, packed in each way and not at all, by turns. The line is reckoned, not measured: bytes by
100 Mbit/s, without the round trips that more bytes may take.
"""

import argparse
import asyncio
import http.client
import random
import statistics
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

import asyncpg
import brotli
import msgspec
import zstandard

from bench import cpu, processes
from bench.command_line import parse
from bench.report import write_figures
from bench.tenants import Tenant, make_founder
from steward.settings import PREFIX
from steward.wiring.schema import migrate

DEFAULT = False
_MEGABITS = 100
_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "ke",
    "li",
    "mo",
    "nu",
    "pa",
    "re",
    "si",
    "to",
    "va",
    "we",
    "zi",
    "chen",
    "ter",
    "lich",
    "dach",
    "pump",
    "ven",
    "til",
    "raum",
    "tür",
]
_WORK_ORDERS = 2000
_PLAIN = "identity"
_UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstandard.ZstdDecompressor().decompressobj().decompress(body),
    "br": brotli.decompress,
    "gzip": lambda body: zlib.decompress(body, 31),
}
# An answer by its name; an export counts as so many requests less.
_EXPORT_SHARE = 50
SETTINGS = {f"{PREFIX}KEY_REQUESTS_PER_MINUTE": "1000000", f"{PREFIX}METRICS_ADDRESS": "off"}


class WrongAnswerError(Exception):
    """It isn't what was asked for, or doesn't become the same when it is unpacked."""


class Caller(msgspec.Struct, frozen=True):
    tenant: Tenant
    port: int
    pid: int

    def paths(self) -> dict[str, str]:
        orders = f"/organizations/{self.tenant.id}/work-orders"
        return {
            "page_of_5": f"{orders}?limit=5",
            "page_of_20": f"{orders}?limit=20",
            "page_of_100": f"{orders}?limit=100",
            "export": f"{orders}.ndjson",
        }

    def ask(self, path: str, encoding: str, count: int) -> tuple[float, bytes]:
        """Microseconds of CPU of the API process for each answer, and the last one as it came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"X-API-Key": self.tenant.keys[0], "Accept-Encoding": encoding}
        before, body = cpu.seconds_of(self.pid), b""
        for _ in range(count):
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200 or answer.getheader("content-encoding", _PLAIN) != encoding:
                raise WrongAnswerError(f"{path} as {encoding}: {answer.status} {answer.getheaders()}")
        connection.close()
        return (cpu.seconds_of(self.pid) - before) * 1e6 / count, body


def _unpack_us(encoding: str, body: bytes, plain: bytes) -> float:
    """What it costs the other side."""
    if _UNPACK[encoding](body) != plain:
        raise WrongAnswerError(f"{encoding} becomes something else")
    times = max(3, 2_000_000 // len(plain))
    begun = time.process_time()
    for _ in range(times):
        _UNPACK[encoding](body)
    return (time.process_time() - begun) * 1e6 / times


def _measure(caller: Caller, path: str, rounds: int, count: int) -> dict[str, Any]:
    encodings = (_PLAIN, *_UNPACK)
    bodies = {encoding: caller.ask(path, encoding, max(2, count // 10))[1] for encoding in encodings}
    spent: dict[str, list[float]] = {encoding: [] for encoding in encodings}
    for _ in range(rounds):
        for encoding in encodings:
            spent[encoding].append(caller.ask(path, encoding, count)[0])
    plain_us = statistics.median(spent[_PLAIN])
    figures: dict[str, Any] = {"bytes": len(bodies[_PLAIN]), "cpu_us": round(plain_us)}
    for encoding in _UNPACK:
        body = bodies[encoding]
        pack_us = statistics.median(spent[encoding]) - plain_us
        saved_us = (len(bodies[_PLAIN]) - len(body)) * 8 / _MEGABITS
        figures[encoding] = {
            "bytes": len(body),
            "pack_us": round(pack_us),
            "unpack_us": round(_unpack_us(encoding, body, bodies[_PLAIN])),
            "saved_us": round(saved_us),
        }
    return figures


def _is_worth_it(packed: dict[str, Any]) -> bool:
    return bool(packed["pack_us"] + packed["unpack_us"] < packed["saved_us"])


def _show(name: str, figures: dict[str, Any]) -> None:
    print(f"\n{name}: {figures['bytes']:,} bytes, {figures['cpu_us']:,} µs of CPU as it is")
    print(f"  {'':6} {'bytes':>10} {'pack µs':>9} {'unpack µs':>10} {'saved µs':>9}")
    for encoding in _UNPACK:
        row = figures[encoding]
        worth = "" if _is_worth_it(row) else "  costs more than it saves"
        print(
            f"  {encoding:6} {row['bytes']:>10,} {row['pack_us']:>9,} {row['unpack_us']:>10,} {row['saved_us']:>9,}{worth}"
        )


async def _prepare(url: str) -> Tenant:
    """Orders that differ as those of people do: what repeats itself packs better than what anybody writes."""
    await migrate(url)
    tenant = await make_founder(url, work_orders=_WORK_ORDERS)
    chance = random.Random(1)
    connection = await asyncpg.connect(url)
    await connection.executemany(
        "UPDATE work_orders SET title = $3, description = $4 WHERE organization_id = $1 AND id = $2",
        [(tenant.id, order, _words(chance, 5), _words(chance, 25)) for order in tenant.work_orders],
    )
    await connection.close()
    return tenant


def _words(chance: random.Random, count: int) -> str:
    return " ".join("".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(count))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.compression", description="What packing costs and saves."
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1000, help="of each round")
    options = parse(parser, words, unwritten=False)
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        tenant = asyncio.run(_prepare(url))
        with processes.running_api(folder, url, folder / "api.log", **SETTINGS) as (port, pid):
            caller = Caller(tenant, port, pid)
            found = {}
            for name, path in caller.paths().items():
                count = options.requests // (_EXPORT_SHARE if name == "export" else 1)
                found[name] = _measure(caller, path, options.rounds, max(1, count))
                _show(name, found[name])
    print(f"\nwritten to {write_figures({'compression': found})}")
    return 0 if all(_is_worth_it(figures[each]) for figures in found.values() for each in _UNPACK) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
