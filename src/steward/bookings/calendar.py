"""An iCalendar (RFC 5545) of one resource: what is booked when, and nothing about who."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from steward.bookings.rules import DAY_SECONDS
from steward.bookings.slots import Slot
from steward.kit.fields import Record

PAST_SECONDS = 30 * DAY_SECONDS
FUTURE_SECONDS = 365 * DAY_SECONDS
# The feed is public to whoever has the link, so its size has a bound.
MOST_ENTRIES = 10_000

_LONGEST_LINE = 75
_UNTITLED = "Booked"
_HEAD = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Steward//Bookings//EN", "CALSCALE:GREGORIAN")
# A calendar must hold something: one without bookings says what UTC is.
_SOMETHING = (
    "BEGIN:VTIMEZONE",
    "TZID:UTC",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000",
    "END:STANDARD",
    "END:VTIMEZONE",
)
_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


class CalendarLink(Record, frozen=True):
    url: str


class Entry(msgspec.Struct, frozen=True):
    """One booking, as much of it as the calendar shows."""

    booking_id: str
    title: str | None
    start_time: int
    end_time: int
    updated: int


def shown_window(now: int) -> Slot:
    return Slot(now - PAST_SECONDS, now + FUTURE_SECONDS)


def calendar(name: str, entries: Sequence[Entry]) -> bytes:
    """The same bytes as long as nothing changes: each entry is stamped with its last change, not with the time of asking."""
    shown = text(name)
    lines = [
        *_HEAD,
        f"NAME:{shown}",
        f"X-WR-CALNAME:{shown}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
        *(_lines(entries) if entries else _SOMETHING),
        "END:VCALENDAR",
    ]
    return b"".join(folded(line) for line in lines)


def _lines(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield "BEGIN:VEVENT"
        yield f"UID:{entry.booking_id}@steward"
        yield f"DTSTAMP:{_moment(entry.updated)}"
        yield f"LAST-MODIFIED:{_moment(entry.updated)}"
        yield f"DTSTART:{_moment(entry.start_time)}"
        yield f"DTEND:{_moment(entry.end_time)}"
        yield f"SUMMARY:{text(entry.title or _UNTITLED)}"
        yield "STATUS:CONFIRMED"
        yield "END:VEVENT"


def _moment(seconds: int) -> str:
    return f"{dt.datetime.fromtimestamp(seconds, dt.UTC):%Y%m%dT%H%M%SZ}"


def text(value: str) -> str:
    """A value of type TEXT: escaped, and without the control characters that it can't hold."""
    lines = "\n".join(value.splitlines())
    printable = "".join(character for character in lines if character in "\n\t" or not _control(character))
    return printable.translate(_ESCAPES)


def _control(character: str) -> bool:
    return ord(character) < 0x20 or ord(character) == 0x7F


def folded(line: str) -> bytes:
    """One content line, cut so that no part is longer than 75 octets and no character is torn apart."""
    parts, size = [], 0
    for character in line:
        encoded = character.encode()
        if size + len(encoded) > _LONGEST_LINE:
            parts.append(b"\r\n ")
            size = 1
        parts.append(encoded)
        size += len(encoded)
    return b"".join(parts) + b"\r\n"
