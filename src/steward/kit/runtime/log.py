"""Structured logs: for people on a terminal, JSON elsewhere. Callers never pass secrets, passwords or whole keys."""

import asyncio
import sys
import time
from contextlib import suppress
from typing import Any, BinaryIO, Literal, TextIO, cast

import msgspec
import structlog

log: Any = structlog.get_logger()

_encode = msgspec.json.Encoder(enc_hook=str).encode

FLUSH_SECONDS = 0.05

Level = Literal["debug", "info", "warning"]
_LEVELS: tuple[Level, ...] = ("debug", "info", "warning")


def _json_line(_logger: Any, _method: str, event: dict[str, Any]) -> bytes:
    return _encode(event)


class _Sink:
    """Where lines go. One that can't be written, on a full volume or to a reader that is gone, stops nothing."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, line: Any) -> None:
        with suppress(OSError):
            self._stream.write(line)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


class RequestLines:
    """One line per request, for which the usual way is too slow: those of the same moment are written together."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._levels = frozenset(_LEVELS[1:])
        self._lines: list[bytes] = []
        self._second = 0
        self._stamp = ""

    def set_stream(self, stream: Any, least: Level) -> None:
        """None hands the lines to the ordinary log, which writes for people. Lines below the `least` level are dropped."""
        self._stream = stream
        self._levels = frozenset(_LEVELS[_LEVELS.index(least) :])

    def write(self, fields: dict[str, Any], moment: float | None = None, level: Level = "info") -> None:
        """`moment` is when it happened, where that isn't now."""
        if level not in self._levels:
            return
        if self._stream is None:
            getattr(log, level)(fields.pop("event"), **fields)
            return
        fields["level"] = level
        fields["timestamp"] = self._timestamp(time.time() if moment is None else moment)
        if not self._lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self._lines.append(_encode(fields))

    def flush(self) -> None:
        if self._lines and self._stream is not None:
            lines, self._lines = self._lines, []
            self._stream.write(b"\n".join([*lines, b""]))
            self._stream.flush()

    def _timestamp(self, moment: float) -> str:
        second = int(moment)
        if second != self._second:
            self._second = second
            self._stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f"{self._stamp}.{int((moment - second) * 1e6):06d}Z"


REQUEST_LINES = RequestLines()


def configure(
    form: Literal["auto", "console", "json"],
    least: Level = "info",
    stream: TextIO = sys.stderr,
    *,
    colors: bool = True,
) -> None:
    """`least` is the lowest level that is written; `colors` are for the console alone."""
    console = form == "console" or (form == "auto" and stream.isatty())
    stamp = structlog.processors.TimeStamper(fmt="%H:%M:%S" if console else "iso", utc=not console)
    if console:
        render: Any = structlog.dev.ConsoleRenderer(pad_event_to=24, colors=colors)
        factory: Any = structlog.PrintLoggerFactory(cast(TextIO, _Sink(stream)))
    else:
        render = _json_line
        factory = structlog.BytesLoggerFactory(cast(BinaryIO, _Sink(stream.buffer)))
    REQUEST_LINES.set_stream(None if console else _Sink(stream.buffer), least)
    structlog.configure(
        processors=[structlog.stdlib.add_log_level, stamp, structlog.processors.format_exc_info, render],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=factory,
        cache_logger_on_first_use=False,
    )
