"""What is put around the parts of a process where traces are wanted; where they aren't, nothing is, and nothing costs anything."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from steward.ingest.batch_writer import BatchWriter
from steward.kit.db.connection import DatabaseConnection
from steward.kit.jobs.runner import Job
from steward.kit.runtime.otlp import OtlpError as OtlpError
from steward.kit.runtime.otlp import otlp_options
from steward.settings import Settings
from steward.webhook_delivery.dispatch import Send

_NEEDED = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_STOP_SECONDS = 2.0

# Whatever answers requests: a worker does without all that it is made of.
A = TypeVar("A", bound=Callable[..., Any])


class Tracing:
    """Leaves everything as it is."""

    connection_class: type[DatabaseConnection] = DatabaseConnection
    batch_writer: type[BatchWriter] = BatchWriter
    # Told of every answer, instead of the access log, which it tells.
    observe: Callable[..., None] | None = None

    def app(self, app: A) -> A:
        return app

    def jobs(self, jobs: Sequence[Job]) -> Sequence[Job]:
        return jobs

    def attempts(self, send: Send) -> Send:
        return send

    async def stop(self, seconds: float) -> None:
        """Sends what is left, for no longer than that."""


UNTRACED = Tracing()


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


def start_tracing(settings: Settings, kind: str, environment: Mapping[str, str]) -> Tracing:
    """For a process of this kind."""
    if settings.otlp_endpoint is None:
        return UNTRACED
    require_otel(settings, environment)
    # Loaded by its name: what it needs isn't there for everybody.
    traced: Tracing = import_module("steward.wiring.otel").OtelTracing(
        settings.otlp_endpoint, kind, environment
    )
    return traced


def stop_seconds(settings: Settings) -> float:
    """What the last batch may take of the time to stop."""
    return min(_STOP_SECONDS, settings.shutdown_seconds / 10)
