"""Starts and stops the tracing of a process. The SDK itself reads the `OTEL_*` variables that `kit/runtime/otlp.py` doesn't read."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider, sampling
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from steward import __version__
from steward.kit.domain.ids import new_id
from steward.kit.runtime.otlp import OtlpOptions, otlp_options
from steward.kit.tracing.exporting import CountedSpanExporter, export_figures, log_sdk_warnings


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
            self._shutdowns.append(export_figures(resource, options.metric_seconds))

    async def stop(self, seconds: float) -> None:
        """Exports the rest, within this time; the threads are daemons, so that a slow export doesn't hold the process."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def shut_down() -> None:
            threads = [threading.Thread(target=each, daemon=True) for each in self._shutdowns]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            # The loop may be closed by now.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=shut_down, name="OTLP shutdown", daemon=True).start()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await ended.wait()


def sampler_of(options: OtlpOptions) -> sampling.Sampler:
    kind = options.sampler.removeprefix("parentbased_")
    fixed = {"always_on": sampling.ALWAYS_ON, "always_off": sampling.ALWAYS_OFF}
    root = fixed.get(kind) or sampling.TraceIdRatioBased(options.ratio)
    return root if kind == options.sampler else sampling.ParentBased(root)


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
