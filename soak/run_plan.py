"""Carries out a plan: one fault after the other, each followed by some calm, as far as time allows."""

import asyncio
import time
from collections.abc import Sequence

from soak.faults import KINDS
from soak.plan import Fault
from soak.spans import Span
from soak.stage import Happened, Stage
from steward.supervisor.errors import UpError

_RECOVERY_SECONDS = 60


async def run_plan(stage: Stage, plan: Sequence[Fault], until: float) -> None:
    for fault in plan:
        if time.monotonic() >= until:
            return
        span = await _do(stage, fault)
        began = time.monotonic()
        await stage.up.wait_until_ready(_RECOVERY_SECONDS)
        happened = Happened(fault.kind, span, time.monotonic() - began)
        stage.happened.append(happened)
        beside = f" with {fault.beside}" if fault.beside else ""
        print(
            f"{span.begin - stage.opened:6.1f} s  {stage.name}: {fault.kind}{beside} for {span.seconds:.1f} s, "
            f"ready {happened.recovery_seconds:.1f} s later",
            flush=True,
        )
        await asyncio.sleep(fault.calm_seconds)


async def _do(stage: Stage, fault: Fault) -> Span:
    began = time.monotonic()
    beside = asyncio.create_task(_beside(stage, fault))
    await _act(stage, fault.kind, fault.seconds)
    await beside
    return Span(began, time.monotonic())


async def _beside(stage: Stage, fault: Fault) -> None:
    if fault.beside:
        await asyncio.sleep(fault.seconds / 2)
        await _act(stage, fault.beside, fault.seconds / 2)


async def _act(stage: Stage, kind: str, seconds: float) -> None:
    stage.counts[kind] += 1
    try:
        await KINDS[kind].act(stage, seconds)
    except (OSError, UpError) as error:
        stage.failed_faults.append(f"{kind}: {error}")
