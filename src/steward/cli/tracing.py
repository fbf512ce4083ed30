"""Traces and metrics over OTLP, for as long as a process runs."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

from steward.kit.runtime.otlp import OtlpError, otlp_options
from steward.settings import Settings
from steward.wiring.tracing import UNTRACED, Tracing

_NEEDED = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_STOP_SECONDS = 2.0


@asynccontextmanager
async def running_tracing(settings: Settings, kind: str) -> AsyncIterator[Tracing]:
    """Starts before and ends after everything that is traced."""
    tracing = UNTRACED
    if settings.otlp_endpoint is not None:
        # Imported by name: OpenTelemetry is an optional dependency.
        tracing = import_module("steward.wiring.otel").OtelTracing(kind, os.environ)
    try:
        yield tracing
    finally:
        # The part of the shutdown time that the last batch may take.
        await tracing.stop(min(_STOP_SECONDS, settings.shutdown_seconds / 10))


def require_otel(settings: Settings) -> None:
    """Checks the configuration of a collector before anything is started."""
    if settings.otlp_endpoint is None:
        return
    otlp_options(os.environ)
    try:
        is_installed = all(map(find_spec, _NEEDED))
    except ModuleNotFoundError:
        is_installed = False
    if not is_installed:
        raise OtlpError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        )
