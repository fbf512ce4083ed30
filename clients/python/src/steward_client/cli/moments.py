"""Times as people write and read them. The service speaks in Unix seconds."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_SPAN = re.compile(r"(\d{1,6})\s*([smhdw])")
_AGO = re.compile(r"([+-])(\d{1,6}[smhdw])")
_CLOCK = re.compile(r"(?:(today|tomorrow|yesterday)\s*)?(\d{1,2}):(\d{2})")
_UNIX = re.compile(r"\d{9,12}")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
# Of the year 9999.
_LAST_SECOND = 253_402_300_799
SHOWN_AS = "2026-11-20, '2026-11-20 09:00', 09:00, 'tomorrow 09:00', now, -2h, +30m or Unix seconds"


def span(text: str) -> int:
    """Seconds of `90m`, `24h`, `7d`."""
    found = _SPAN.fullmatch(text.strip())
    if found is None or int(found[1]) == 0:
        raise ValueError("a span of time is written 90m, 24h, 7d or 2w")
    return int(found[1]) * _SECONDS[found[2]]


def moment(text: str, now: datetime) -> int:
    """Unix seconds of what was written. What names no zone is meant in that of `now`, the local one."""
    words = text.strip()
    if words == "now":
        return int(now.timestamp())
    if _UNIX.fullmatch(words):
        return int(words)
    if found := _AGO.fullmatch(words):
        seconds = span(found[2])
        return int(now.timestamp()) + (seconds if found[1] == "+" else -seconds)
    if words in _DAYS:
        words += " 0:00"
    if found := _CLOCK.fullmatch(words):
        return _at_the_clock(found, now)
    try:
        written = datetime.fromisoformat(words)
    except ValueError:
        raise ValueError(f"a time is written {SHOWN_AS}") from None
    return int((written if written.tzinfo else _local(written, now)).timestamp())


def _at_the_clock(found: re.Match[str], now: datetime) -> int:
    hour, minute = int(found[2]), int(found[3])
    if hour > 23 or minute > 59:
        raise ValueError(f"there is no {found[2]}:{found[3]} on the clock")
    day = now.date() + timedelta(days=_DAYS[found[1] or "today"])
    return int(_local(datetime(day.year, day.month, day.day, hour, minute), now).timestamp())  # noqa: DTZ001 (given its zone)


def _local(naive: datetime, now: datetime) -> datetime:
    """A zone with a name knows its summer time; that of `datetime.now().astimezone()` doesn't, but the system does."""
    if isinstance(now.tzinfo, ZoneInfo):
        return naive.replace(tzinfo=now.tzinfo)
    return naive.astimezone()


def shown(seconds: float, *, seconds_too: bool = False) -> str:
    """Local time. Webhooks tell theirs in milliseconds, which no year of the API's reaches as seconds."""
    try:
        local = datetime.fromtimestamp(seconds / 1000 if seconds > _LAST_SECOND else seconds).astimezone()
    except (ValueError, OverflowError, OSError):
        # No year has it: better the number than nothing at all.
        return str(seconds)
    return local.strftime("%Y-%m-%d %H:%M:%S" if seconds_too else "%Y-%m-%d %H:%M")
