"""An iCalendar (RFC 5545) of one resource: what is booked when, and nothing about who."""

import datetime as dt
from collections.abc import Iterator

import msgspec

from steward.bookings.rules import DAY_SECONDS
from steward.bookings.slots import Slot
from steward.kit.domain.fields import Record

PAST_SECONDS = 30 * DAY_SECONDS
FUTURE_SECONDS = 365 * DAY_SECONDS
# The feed is public to whoever has the link, so its size has a bound.
MAX_ENTRIES = 10_000

_MAX_LINE_LENGTH = 75
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
_ESCAPES: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), 0x7F), None),
    **{
        ord(sign): escaped
        for sign, escaped in {"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\t": "\t"}.items()
    },
}


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


def beginning(name: str, *, empty: bool) -> bytes:
    """What comes before the entries; `ENDING` comes after them."""
    shown = text(name)
    lines = (
        *_HEAD,
        f"NAME:{shown}",
        f"X-WR-CALNAME:{shown}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
        *(_SOMETHING if empty else ()),
    )
    return b"".join(map(folded, lines))


ENDING = b"END:VCALENDAR\r\n"


def entry(shown: Entry) -> bytes:
    """The same bytes as long as nothing changes: stamped with the last change, not with the time of asking."""
    return b"".join(map(folded, _lines(shown)))


def _lines(shown: Entry) -> Iterator[str]:
    updated = _moment(shown.updated)
    yield "BEGIN:VEVENT"
    yield f"UID:{shown.booking_id}@steward"
    yield f"DTSTAMP:{updated}"
    yield f"LAST-MODIFIED:{updated}"
    yield f"DTSTART:{_moment(shown.start_time)}"
    yield f"DTEND:{_moment(shown.end_time)}"
    yield f"SUMMARY:{text(shown.title or _UNTITLED)}"
    yield "STATUS:CONFIRMED"
    yield "END:VEVENT"


def _moment(seconds: int) -> str:
    return f"{dt.datetime.fromtimestamp(seconds, dt.UTC):%Y%m%dT%H%M%SZ}"


def text(value: str) -> str:
    """A value of type TEXT: escaped, and without the control characters that it can't hold."""
    return "\n".join(value.splitlines()).translate(_ESCAPES)


def folded(line: str) -> bytes:
    """One content line, cut so that no part is longer than 75 octets and no character is torn apart."""
    raw = line.encode()
    if len(raw) <= _MAX_LINE_LENGTH:
        return raw + b"\r\n"
    parts, start, room = [], 0, _MAX_LINE_LENGTH
    while start < len(raw):
        end = min(start + room, len(raw))
        while end < len(raw) and raw[end] & 0xC0 == 0x80:
            end -= 1
        parts.append(raw[start:end])
        # A space goes before each part but the first.
        start, room = end, _MAX_LINE_LENGTH - 1
    return b"\r\n ".join(parts) + b"\r\n"
