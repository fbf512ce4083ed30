"""An iCalendar (RFC 5545) of one resource: what is booked when, without names."""

import datetime as dt

from icalendar import Calendar, Event, Timezone, TimezoneStandard, vDatetime, vText

from steward.bookings.feeds.model import Entry

_UNTITLED = "Booked"
_REFRESH = dt.timedelta(minutes=15)
_ESCAPES: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), 0x7F), None),
    **{
        ord(sign): escaped
        for sign, escaped in {"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\t": "\t"}.items()
    },
}


def beginning(name: str, *, empty: bool) -> bytes:
    """The part before the entries; `ENDING` follows them."""
    whole = Calendar({"VERSION": "2.0", "PRODID": "-//Steward//Bookings//EN", "CALSCALE": "GREGORIAN"})
    for shown_as in ("NAME", "X-WR-CALNAME"):
        whole.add(shown_as, _Text(name))
    whole.add("REFRESH-INTERVAL", _REFRESH, {"VALUE": "DURATION"})
    if empty:
        whole.add_component(_utc())
    written: bytes = whole.to_ical(sorted=False)
    return written.removesuffix(ENDING)


ENDING = b"END:VCALENDAR\r\n"


def entry(shown: Entry) -> bytes:
    """The same bytes as long as nothing changes: stamped with the last change, not with the request."""
    updated = _moment(shown.updated)
    event = Event(
        {
            "UID": f"{shown.booking_id}@steward",
            "DTSTAMP": updated,
            "LAST-MODIFIED": updated,
            "DTSTART": _moment(shown.start_time),
            "DTEND": _moment(shown.end_time),
            "SUMMARY": _Text(shown.title or _UNTITLED),
            "STATUS": "CONFIRMED",
        }
    )
    written: bytes = event.to_ical(sorted=False)
    return written


def text(value: str) -> str:
    """A value of type TEXT: escaped, and without the control characters that it can't hold."""
    return "\n".join(value.splitlines()).translate(_ESCAPES)


class _Text(vText):
    """The package would read a backslash and an N, as in `C:\\New`, as a line break."""

    def to_ical(self) -> bytes:
        return text(self).encode()


def _utc() -> Timezone:
    """A calendar must not be empty: one without bookings defines UTC."""
    zone, standard = Timezone(), TimezoneStandard()
    zone.add("TZID", "UTC")
    standard.add("DTSTART", dt.datetime(1970, 1, 1))  # noqa: DTZ001 (local, as the RFC has it)
    standard.add("TZOFFSETFROM", dt.timedelta())
    standard.add("TZOFFSETTO", dt.timedelta())
    zone.add_component(standard)
    return zone


def _moment(seconds: int) -> vDatetime:
    return vDatetime(dt.datetime.fromtimestamp(seconds, dt.UTC))
