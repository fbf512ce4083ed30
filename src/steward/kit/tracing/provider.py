"""Starts and stops the tracing of a process. The SDK itself reads the `OTEL_*` variables that `kit/runtime/otlp.py` doesn't read."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    ParentBased,
    Sampler,
    TraceIdRatioBased,
)

from steward import __version__
from steward.kit.domain.ids import new_id
from steward.kit.runtime.otlp import OtlpOptions, otlp_options
from steward.kit.tracing.exporting import CountedSpanExporter, FigureExporter, log_sdk_warnings

_LOOK_SECONDS = 0.01


class OtlpExport:
    """The traces and metrics of one process, sent to the collector until `stop`."""

    def __init__(self, kind: str, environment: Mapping[str, str]) -> None:
        options = otlp_options(environment)
        log_sdk_warnings()
        resource = _resource(kind, environment)
        self._shutdowns: list[Callable[[], None]] = []
        if options.traces:
            provider = TracerProvider(sampler_of(options), resource, shutdown_on_exit=False)
            provider.add_span_processor(
                BatchSpanProcessor(
                    CountedSpanExporter(), options.queue_size, options.delay_ms, options.batch_size
                )
            )
            trace.set_tracer_provider(provider)
            self._shutdowns.append(provider.shutdown)
        if options.metrics:
            exporter = FigureExporter(resource, options.metric_seconds)
            self._shutdowns.append(exporter.shutdown)

    async def stop(self, seconds: float) -> None:
        """Exports the rest, within this time; the threads are daemons, so that a slow export doesn't hold the process."""
        threads = [threading.Thread(target=each, daemon=True) for each in self._shutdowns]
        for thread in threads:
            thread.start()
        ends = time.monotonic() + seconds
        while any(thread.is_alive() for thread in threads) and time.monotonic() < ends:
            await asyncio.sleep(_LOOK_SECONDS)


def sampler_of(options: OtlpOptions) -> Sampler:
    kind = options.sampler.removeprefix("parentbased_")
    fixed = {"always_on": ALWAYS_ON, "always_off": ALWAYS_OFF}
    root = fixed.get(kind) or TraceIdRatioBased(options.ratio)
    return root if kind == options.sampler else ParentBased(root)


def _resource(kind: str, environment: Mapping[str, str]) -> Resource:
    """Each process is an instance of its own, even if several form one service."""
    attributes: dict[str, str | int] = {
        "service.version": __version__,
        "service.instance.id": new_id("prc"),
        "host.name": socket.gethostname(),
        "process.pid": os.getpid(),
        "steward.process.kind": kind,
    }
    named = environment.get("OTEL_SERVICE_NAME") or "service.name=" in environment.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    if not named:
        attributes["service.name"] = "steward"
    return Resource.create(attributes)
