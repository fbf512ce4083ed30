"""Begins and ends the tracing of a process. Those `OTEL_*` variables that `kit/runtime/otlp.py` doesn't read are read by the SDK itself."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
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
from steward.kit.tracing.exporting import FigureExporter, ReportingSpanExporter, silence_sdk
from steward.kit.tracing.span_queue import CountingSpanProcessor


class OtlpExport:
    """What a process of this kind sends, until it stops."""

    def __init__(self, endpoint: str, kind: str, environment: Mapping[str, str]) -> None:
        options = otlp_options(environment)
        silence_sdk()
        resource = _resource(kind, environment)
        self._shutdowns: list[Callable[[], None]] = []
        if options.traces:
            provider = TracerProvider(sampler_of(options), resource, shutdown_on_exit=False)
            provider.add_span_processor(CountingSpanProcessor(ReportingSpanExporter(endpoint), options))
            trace.set_tracer_provider(provider)
            self._shutdowns.append(provider.shutdown)
        if options.metrics:
            exporter = FigureExporter(endpoint, resource, options.metric_seconds)
            self._shutdowns.append(exporter.shutdown)

    async def stop(self, seconds: float) -> None:
        """Sends what is left, and takes no longer than that: what doesn't end is left behind."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def shut_down() -> None:
            threads = [threading.Thread(target=each, daemon=True) for each in self._shutdowns]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            # There may be no loop any more that would want to know.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=shut_down, name="OTLP shutdown", daemon=True).start()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await ended.wait()


def sampler_of(options: OtlpOptions) -> Sampler:
    kind = options.sampler.removeprefix("parentbased_")
    fixed = {"always_on": ALWAYS_ON, "always_off": ALWAYS_OFF}
    root = fixed.get(kind) or TraceIdRatioBased(options.ratio)
    return root if kind == options.sampler else ParentBased(root)


def _resource(kind: str, environment: Mapping[str, str]) -> Resource:
    """Each process is an instance of its own, also where several are one service."""
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
