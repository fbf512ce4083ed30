"""Structured logs: for people on a terminal, JSON elsewhere. Callers never pass secrets, passwords or whole keys."""

import sys
from typing import Any, Literal, TextIO

import msgspec
import structlog

log: Any = structlog.get_logger()

_encode = msgspec.json.Encoder(enc_hook=str).encode


def _json_line(_logger: Any, _method: str, event: dict[str, Any]) -> bytes:
    return _encode(event)


def configure(form: Literal["auto", "console", "json"], stream: TextIO = sys.stderr) -> None:
    people = form == "console" or (form == "auto" and stream.isatty())
    stamp = structlog.processors.TimeStamper(fmt="%H:%M:%S" if people else "iso", utc=not people)
    shared: list[Any] = [structlog.stdlib.add_log_level, stamp]
    if people:
        processors = [
            *shared,
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(pad_event_to=24),
        ]
        factory: Any = structlog.PrintLoggerFactory(stream)
    else:
        processors = [*shared, structlog.processors.format_exc_info, _json_line]
        factory = structlog.BytesLoggerFactory(stream.buffer)
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        logger_factory=factory,
        cache_logger_on_first_use=False,
    )
