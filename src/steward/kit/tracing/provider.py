"""Begins and ends the tracing of a process. What the `OTEL_*` variables say is read by the SDK itself, save for a few."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from steward import __version__
from steward.kit.domain.ids import new_id
from steward.kit.runtime.otlp import OtlpError
from steward.kit.tracing.exporting import FigureExporter, ReportingSpanExporter, silence_sdk

_INTERVAL_MS = 60_000
_PROTOCOL = "http/protobuf"


class OtlpExport:
    """What a process of this kind sends, until it stops."""

    def __init__(self, endpoint: str, kind: str, environment: Mapping[str, str]) -> None:
        _require_protocol(environment)
        traces, figures = (_is_wanted(environment, signal) for signal in ("TRACES", "METRICS"))
        seconds = _milliseconds(environment, "OTEL_METRIC_EXPORT_INTERVAL", _INTERVAL_MS) / 1000
        silence_sdk()
        resource = _resource(kind, environment)
        self._shutdowns: list[Callable[[], None]] = []
        if traces:
            provider = TracerProvider(resource=resource, shutdown_on_exit=False)
            provider.add_span_processor(BatchSpanProcessor(ReportingSpanExporter(endpoint)))
            trace.set_tracer_provider(provider)
            self._shutdowns.append(provider.shutdown)
        if figures:
            self._shutdowns.append(FigureExporter(endpoint, resource, seconds).shutdown)

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
            await asyncio.wait_for(ended.wait(), seconds)


def _is_wanted(environment: Mapping[str, str], signal: str) -> bool:
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    name = f"OTEL_{signal}_EXPORTER"
    exporter = environment.get(name, "").strip() or "otlp"
    if exporter not in {"otlp", "none"}:
        raise OtlpError(f"{name} must be otlp or none")
    return exporter == "otlp"


def _require_protocol(environment: Mapping[str, str]) -> None:
    for name in ("PROTOCOL", "TRACES_PROTOCOL", "METRICS_PROTOCOL"):
        variable = f"OTEL_EXPORTER_OTLP_{name}"
        if (environment.get(variable, "").strip() or _PROTOCOL) != _PROTOCOL:
            raise OtlpError(f"{variable} must be {_PROTOCOL}, the only protocol that Steward speaks")


def _milliseconds(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, "").strip() or str(default)
    if not text.isdigit() or int(text) == 0:
        raise OtlpError(f"{name} must be milliseconds")
    return int(text)


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
