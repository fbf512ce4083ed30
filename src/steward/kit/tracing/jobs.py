"""A span for each run of a job. Jobs that poll every few seconds, and mostly find nothing, have one only for failed runs."""

import time
from collections.abc import Iterable

from opentelemetry.context import Context

from steward.kit.jobs.runner import Job
from steward.kit.tracing.spans import TRACER, fail

# With shorter intervals, idle workers would send more traces than busy ones.
_POLLING_SECONDS = 15


def traced_jobs(jobs: Iterable[Job]) -> list[Job]:
    return [_traced_failures(job) if job.every_seconds < _POLLING_SECONDS else _traced(job) for job in jobs]


def _traced(job: Job) -> Job:
    async def run() -> object:
        with TRACER.start_as_current_span(
            f"job {job.name}", Context(), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                return await job.run()
            except BaseException as error:
                fail(span, error)
                raise

    return Job(job.name, job.every_seconds, run)


def _traced_failures(job: Job) -> Job:
    async def run() -> object:
        began_ns = time.time_ns()
        try:
            return await job.run()
        except Exception as error:
            span = TRACER.start_span(f"job {job.name}", Context(), start_time=began_ns)
            fail(span, error)
            span.end()
            raise

    return Job(job.name, job.every_seconds, run)
