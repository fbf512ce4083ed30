"""Traces and metrics over OTLP, for as long as a process runs."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from steward.settings import Settings
from steward.wiring.tracing import Tracing, start_tracing, stop_seconds


@asynccontextmanager
async def running_tracing(settings: Settings, kind: str) -> AsyncIterator[Tracing]:
    """Before anything else is made, since it is put around it; after everything else has ended, since that is traced, too."""
    tracing = start_tracing(settings, kind, os.environ)
    try:
        yield tracing
    finally:
        await tracing.stop(stop_seconds(settings))
