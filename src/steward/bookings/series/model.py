"""Bookings as people fill them in: attendees as a text, recurrence by a few choices."""

import re
from datetime import date

import msgspec
from msgspec import UNSET, UnsetType

from steward.bookings.model import Attendee, Attendees, BookingChanges, NewBooking, Scope
from steward.kit.domain.days import day_named
from steward.kit.domain.fields import Body, Text
from steward.kit.domain.problems import Invalid
from steward.kit.domain.shared_fields import made_from, same_fields

# The choices: the beginning of a rule, and its wording.
REPEATS = {
    "FREQ=DAILY": "Every day",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": "Every working day",
    "FREQ=WEEKLY": "Every week",
    "FREQ=WEEKLY;INTERVAL=2": "Every two weeks",
    "FREQ=MONTHLY": "Every month, on the same day",
}
SCOPES = (
    (Scope.ONE, "Only this date"),
    (Scope.FOLLOWING, "This and all following"),
    (Scope.ALL, "All dates to come"),
)

_LINE = re.compile(r"(?:(?P<name>[^<>]*?)\s*<(?P<address>[^<>\s]+)>|(?P<only>[^<>\s]+))")


@same_fields(NewBooking, without="recurrence exceptions external_id metadata")
class NewBookingForm(Body, frozen=True):
    attendees: Text | None = None
    repeat: str | None = None
    repeat_until: str | None = None
    repeat_count: int | None = None
    left_out: Text | None = None

    def new_booking(self) -> NewBooking:
        return made_from(
            NewBooking,
            self,
            attendees=attendees(self.attendees),
            recurrence=self._rule(),
            exceptions=[day.isoformat() for day in _days(self.left_out)] if self.repeat else [],
        )

    def _rule(self) -> str | None:
        if self.repeat is None:
            return None
        if self.repeat not in REPEATS:
            raise Invalid("repeat", "is none of the choices")
        if (self.repeat_until is None) == (self.repeat_count is None):
            raise Invalid("repeatUntil", "either a last day or a number of times is needed")
        if self.repeat_until is None:
            return f"{self.repeat};COUNT={self.repeat_count}"
        return f"{self.repeat};UNTIL={day_named('repeatUntil', self.repeat_until):%Y%m%d}"


@same_fields(BookingChanges, without="metadata")
class BookingChangesForm(Body, frozen=True):
    """Also says which dates of a series are meant."""

    attendees: Text | UnsetType | None = UNSET
    scope: Scope = Scope.ONE

    def changes(self) -> BookingChanges:
        coming = self.attendees
        return made_from(BookingChanges, self, attendees=UNSET if coming is UNSET else attendees(coming))


class CancelForm(Body, frozen=True):
    scope: Scope = Scope.ONE


def attendees(text: str | None) -> list[Attendee]:
    """One a line: an address, or a name and an address in angle brackets."""
    found = []
    for line in (text or "").splitlines():
        if not line.strip():
            continue
        matched = _LINE.fullmatch(line.strip())
        if matched is None:
            raise Invalid("attendees", f"“{line.strip()}” is not an e-mail address, such as ada@example.com")
        found.append({"email": matched["only"] or matched["address"], "name": matched["name"] or None})
    try:
        return msgspec.convert(found, Attendees)
    except msgspec.ValidationError:
        raise Invalid("attendees", "must be at most 200 e-mail addresses, one in each line") from None


def attendees_text(coming: list[Attendee]) -> str:
    return "\n".join(f"{one.name} <{one.email}>" if one.name else one.email for one in coming)


def _days(text: str | None) -> list[date]:
    return [day_named("leftOut", part) for part in re.split(r"[\s,]+", text or "") if part]
