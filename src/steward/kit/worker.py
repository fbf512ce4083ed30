"""A worker runs named jobs, each at its own pace; one that fails is logged, counted and tried again next time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from steward.kit.log import log
from steward.kit.loop_watch import timed
from steward.kit.metrics import JOB_RUNS


class Job(msgspec.Struct, frozen=True):
    name: str
    every_seconds: float
    run: Callable[[], Awaitable[object]]


async def run_jobs(jobs: Sequence[Job], stop: asyncio.Event) -> None:
    """Until `stop` is set; a run that has begun is finished."""
    await asyncio.gather(*(_repeat(job, stop) for job in jobs))


async def _repeat(job: Job, stop: asyncio.Event) -> None:
    while not stop.is_set():
        began = time.monotonic()
        await _run(job)
        rest = job.every_seconds - (time.monotonic() - began)
        try:
            await asyncio.wait_for(stop.wait(), max(0.0, rest))
        except TimeoutError:
            continue


async def _run(job: Job) -> None:
    try:
        await timed(job.run(), "job", lambda: job.name)
    except Exception as error:  # noqa: BLE001 (a job must not take the others down with it)
        JOB_RUNS.labels(job.name, "failed").inc()
        log.error("job failed", job=job.name, error=str(error), kind=type(error).__name__)
    else:
        JOB_RUNS.labels(job.name, "done").inc()
