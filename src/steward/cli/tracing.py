"""Traces and metrics over OTLP, for as long as a process runs."""

import os
from collections.abc import AsyncIterator, Mapping
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
    tracing = _start_tracing(settings, kind, os.environ)
    try:
        yield tracing
    finally:
        await tracing.stop(_stop_seconds(settings))


def require_otel(settings: Settings, environment: Mapping[str, str]) -> None:
    """Checks the configuration of a collector before anything is started."""
    if settings.otlp_endpoint is None:
        return
    otlp_options(environment)
    if not all(map(_is_installed, _NEEDED)):
        raise OtlpError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        )


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _start_tracing(settings: Settings, kind: str, environment: Mapping[str, str]) -> Tracing:
    if settings.otlp_endpoint is None:
        return UNTRACED
    require_otel(settings, environment)
    # Imported by name: OpenTelemetry is an optional dependency.
    traced: Tracing = import_module("steward.wiring.otel").OtelTracing(kind, environment)
    return traced


def _stop_seconds(settings: Settings) -> float:
    """The part of the shutdown time that the last batch may take."""
    return min(_STOP_SECONDS, settings.shutdown_seconds / 10)
