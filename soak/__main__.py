"""`python -m soak [--minutes N] [--seed N] [--short] [--stage NAME]`; soak/README.md explains what it prints."""

import argparse
import asyncio
import faulthandler
import os
import random
import secrets
import signal
import sys
import time
from contextlib import nullcontext, suppress
from pathlib import Path

from tests.support.broker import MOSQUITTO
from tests.support.launching import temporary_folder

from soak import invariants, report
from soak.databases import small_volume
from soak.faults import KINDS, possible
from soak.feed import FeedReader
from soak.history import Stored as StoredReadings
from soak.history import stored_readings
from soak.invariants import Check
from soak.plan import Fault, long_plan
from soak.run_plan import run_plan
from soak.stage import Stage
from soak.stored import read_feed, read_readings, read_stored

_STAGES = ("embedded", "own")
# More than any lease lasts; a delivery that is missing then is stuck.
_DRAIN_SECONDS = 75
_ANSWER_SECONDS = 45
_LATENESS_SECONDS, _SHORT_LATENESS_SECONDS = 180, 15


def _read_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m soak", description="Faults, and what must hold.")
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "20")))
    parser.add_argument(
        "--seed", type=int, default=int(os.environ.get("SOAK_SEED", "0")) or secrets.randbelow(10**6) + 1
    )
    parser.add_argument("--short", action="store_true", help="every fault once, in about a minute")
    parser.add_argument("--stage", choices=_STAGES, action="append", help="one of the two; both by default")
    parser.add_argument("--only", action="append", help="no other faults than these")
    parser.add_argument("--keep", action="store_true", help="leave the logs where they are")
    return parser.parse_args(words)


def _plan(options: argparse.Namespace, stage: Stage) -> list[Fault]:
    kinds = [kind for kind in possible(stage) if not options.only or kind in options.only]
    if options.short:
        return [Fault(kind, 2.0, 0.5) for kind in kinds if KINDS[kind].short == stage.name]
    return long_plan(kinds, options.minutes, random.Random(f"{options.seed} {stage.name} plan"))


async def _run(options: argparse.Namespace, name: str, folder: Path) -> tuple[Stage, list[Check]]:
    folder.mkdir(mode=0o755)
    mebibytes = 512 if options.short else int(512 + 40 * options.minutes)
    mounted = small_volume(folder / "volume", mebibytes) if name == "embedded" else nullcontext()
    with mounted as volume:
        stage = await asyncio.to_thread(
            Stage, name, folder, own_database=name == "own", volume=volume, seed=f"{options.seed} {name}"
        )
        try:
            await stage.open()
            stage.begin_writing()
            until = time.monotonic() + (3600 if options.short else options.minutes * 60)
            await run_plan(stage, _plan(options, stage), until)
            checks = await _settle(stage, short=options.short)
        finally:
            await stage.close()
    # Only now is known how the last end went, and what was said by then.
    checks += invariants.running(stage)
    report.show(stage, checks)
    return stage, checks


async def _settle(stage: Stage, *, short: bool) -> list[Check]:
    """Everything that is under way comes to its end; then it is counted."""
    await stage.stop_writing(_ANSWER_SECONDS)
    if stage.publisher:
        await stage.wait_for_published(_SHORT_LATENESS_SECONDS if short else _LATENESS_SECONDS)
    deadline = time.monotonic() + _DRAIN_SECONDS
    while True:
        stored = await read_stored(await stage.database.reachable_url(), stage.setup.organization)
        if all(stage.receivers.has(event) for event in stored.events) or time.monotonic() > deadline:
            break
        await asyncio.sleep(0.5)
    feed = await _feed_checks(stage)
    await stage.end_tasks()
    setup = stage.setup
    shown: StoredReadings = {}
    with suppress(TimeoutError):
        async with asyncio.timeout(_ANSWER_SECONDS):
            assets = [*setup.singles, *setup.batches, *setup.published]
            shown = await stored_readings(stage.caller, setup, assets)
    readings = await read_readings(stage.database.url(), setup.organization, setup.first_second)
    late = await stage.still_with_the_broker(readings.keys())
    # A session whose worker is gone is taken over in two minutes, for which the short form doesn't wait.
    most_late = len(late) if short else 0
    return [
        *invariants.lost(stage.ledger, stored, readings, late),
        Check("readings that still wait at the broker", len(late), most_late),
        invariants.hidden(stage.ledger, readings, shown),
        *invariants.twice(stage.ledger, stored, readings),
        *invariants.deliveries(stage, stored),
        *feed,
    ]


async def _feed_checks(stage: Stage) -> list[Check]:
    """The reader that was there all the time, and one that begins now, see what is stored."""
    url, organization = await stage.database.reachable_url(), stage.setup.organization
    before = await read_feed(url, organization)
    readers = [stage.feed, FeedReader(stage.setup, stage.caller)]
    for reader in readers:
        await reader.catch_up(len(before), _ANSWER_SECONDS)
    # Workers may have written events meanwhile.
    after = await read_feed(url, organization)
    return invariants.feed(before, after, [reader.seen for reader in readers])


async def _main(options: argparse.Namespace) -> int:
    names = options.stage or _STAGES
    length = "short" if options.short else f"{options.minutes:g} minutes"
    print(f"soak: {length}, SOAK_SEED={options.seed}", flush=True)
    if MOSQUITTO is None:
        print("skipped: MQTT, since Mosquitto is not installed")
    began = time.monotonic()
    with temporary_folder("soak", keep=options.keep) as folder:
        results = await asyncio.gather(*(_run(options, name, folder / name) for name in names))
    report.summarize(results)
    held = all(check.holds for _, checks in results for check in checks)
    took = time.monotonic() - began
    print(f"\nsoak: {'all holds' if held else 'BROKEN'} after {took:.0f} s, SOAK_SEED={options.seed}")
    return 0 if held else 1


def main(words: list[str]) -> int:
    options = _read_options(words)
    # Where it hangs, should it ever.
    faulthandler.register(signal.SIGUSR1)

    async def work() -> int:
        # So that being told to stop also tidies up.
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await _main(options)

    try:
        return asyncio.run(work())
    except asyncio.CancelledError:
        return 143


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
