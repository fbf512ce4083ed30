"""Days of the calendar in a time zone. Pure. When the clocks change, a day has 23 or 25 hours."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from steward.kit.domain.problems import Invalid


def date_of(moment: int, zone: tzinfo) -> date:
    return datetime.fromtimestamp(moment, UTC).astimezone(zone).date()


def local_time(moment: int, zone: tzinfo) -> datetime:
    """The local time, without its zone."""
    return datetime.fromtimestamp(moment, zone).replace(tzinfo=None)


def moment_of(local: datetime, zone: tzinfo) -> int:
    """Where clocks go forward, a time that is skipped is as much later; where they go back, a time that comes twice is the first one."""
    return int(local.replace(tzinfo=zone).timestamp())


def midnight(day: date, zone: tzinfo) -> int:
    """The second in which a day begins."""
    return int(datetime.combine(day, time(), tzinfo=zone).timestamp())


def end_of(day: date, zone: tzinfo) -> int:
    """The second in which the next day begins."""
    return midnight(day + timedelta(days=1), zone)


def day_named(field: str, text: str) -> date:
    """422 where the text of a field is no day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Invalid(field, "must be a date such as 2026-11-16") from None
