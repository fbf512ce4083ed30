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
    """Before anything else is made, since it is put around it; after everything else has ended, since that is traced, too."""
    tracing = _start_tracing(settings, kind, os.environ)
    try:
        yield tracing
    finally:
        await tracing.stop(_stop_seconds(settings))


def require_otel(settings: Settings, environment: Mapping[str, str]) -> None:
    """Before anything is started, where a collector is configured."""
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
    """For a process of this kind."""
    if settings.otlp_endpoint is None:
        return UNTRACED
    require_otel(settings, environment)
    # Loaded by its name: what it needs isn't there for everybody.
    traced: Tracing = import_module("steward.wiring.otel").OtelTracing(
        settings.otlp_endpoint, kind, environment
    )
    return traced


def _stop_seconds(settings: Settings) -> float:
    """What the last batch may take of the time to stop."""
    return min(_STOP_SECONDS, settings.shutdown_seconds / 10)
