"""A job that looks for work every few seconds is a trace only where it fails; what it publishes begins one."""

import subprocess
import sys

from tests.observability.collector import listening, spans
from tests.support.processes import environment

_RUN_EACH_ONCE = """
import asyncio, os
from contextlib import suppress

from steward.kit.events.event_types import Event
from steward.kit.jobs.runner import Job
from steward.kit.tracing.events import trace_of
from steward.kit.tracing.jobs import traced_jobs
from steward.kit.tracing.provider import OtlpExport


async def find_nothing():
    trace_of([])

async def fail():
    raise ValueError("hush")

async def publish():
    print(trace_of([Event("evt_1", "asset.created", 1, b"", {}, "ast_1")]))

async def main():
    export = OtlpExport("worker", os.environ)
    jobs = [Job("idle", 1, find_nothing), Job("failing", 14, fail), Job("publishing", 1, publish)]
    for job in traced_jobs([*jobs, Job("slow", 15, find_nothing), Job("failing slowly", 15, fail)]):
        with suppress(ValueError):
            await job.run()
    await export.stop(30)

asyncio.run(main())
"""


def test_jobs_that_poll_are_traces_only_where_something_happened() -> None:
    with listening() as collector:
        ran = subprocess.run(
            [sys.executable, "-c", _RUN_EACH_ONCE],
            env=environment(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_METRICS_EXPORTER="none"),
            capture_output=True,
            text=True,
            check=True,
        )
        found = {span.name: span for span in spans(collector)}
    assert {name: span.failed for name, span in found.items()} == {
        "job failing": True,
        "publish asset.created": False,
        "job slow": False,
        "job failing slowly": True,
    }
    assert found["job failing"].attributes == {"error.type": "ValueError"}
    assert {span.parent for span in found.values()} == {""}
    # The event keeps its trace, so that its deliveries become parts of it.
    published = found["publish asset.created"]
    assert ran.stdout.startswith(f"00-{published.trace}-{published.id}-0")
