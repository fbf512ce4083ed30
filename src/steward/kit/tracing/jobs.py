"""A span for each run of a job."""

from collections.abc import Iterable

from opentelemetry.context import Context

from steward.kit.runtime.jobs import Job
from steward.kit.tracing.spans import TRACER, fail


def traced_jobs(jobs: Iterable[Job]) -> list[Job]:
    return [_traced(job) for job in jobs]


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
