"""A worker runs named jobs, each at its own pace; one that fails is logged, counted and tried again next time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.faults import FAULT_LOG
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.log import log
from steward.kit.runtime.loop_watch import timed
from steward.kit.runtime.metrics import JOB_RUNS


class Job(msgspec.Struct, frozen=True):
    name: str
    every_seconds: float
    run: Callable[[], Awaitable[object]]


async def run_jobs(jobs: Sequence[Job], stop: asyncio.Event, *, grace_seconds: float) -> None:
    """Until `stop` is set; a run that has begun is finished, unless it takes longer than the grace."""
    for job in jobs:
        for outcome in ("done", "failed"):
            JOB_RUNS.labels(job.name, outcome)
    tasks = [asyncio.create_task(_repeat(job, stop), name=job.name) for job in jobs]
    try:
        await stop.wait()
        await asyncio.wait(tasks, timeout=grace_seconds)
    finally:
        if late := [task for task in tasks if not task.done()]:
            log.warning("jobs were cut off", jobs=[task.get_name() for task in late])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _repeat(job: Job, stop: asyncio.Event) -> None:
    while not stop.is_set():
        began = time.monotonic()
        await _run(job)
        rest = job.every_seconds - (time.monotonic() - began)
        try:
            async with asyncio.timeout(max(0.0, rest)):
                await stop.wait()
        except TimeoutError:
            continue


async def _run(job: Job) -> None:
    try:
        await timed(job.run(), "job", lambda: job.name)
    except (*DATABASE_AWAY, Unavailable) as error:
        JOB_RUNS.labels(job.name, "failed").inc()
        FAULT_LOG.report("jobs wait for the database", error, job=job.name)
    except Exception as error:  # noqa: BLE001 (a job must not take the others down with it)
        JOB_RUNS.labels(job.name, "failed").inc()
        log.error("job failed", job=job.name, error=str(error), kind=type(error).__name__)
    else:
        JOB_RUNS.labels(job.name, "done").inc()


async def finish_within(seconds: float, last: Awaitable[object]) -> None:
    """For what is done on the way out: it may fail, and it may not take long."""
    try:
        async with asyncio.timeout(seconds):
            await last
    except (*DATABASE_AWAY, Unavailable) as error:
        log.warning("not everything could be written down on stopping", error=str(error) or "no answer")
