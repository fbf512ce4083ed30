"""`steward bookings`."""

from typing import Any

import click

from steward_client import to_dict
from steward_client.cli import find
from steward_client.cli.cells import Column, printable, shown
from steward_client.cli.command import Moment, Span, command
from steward_client.cli.nouns import (
    EXTERNAL_ID,
    SORT,
    Given,
    Noun,
    choices,
    listing,
    page_size,
    show_records,
    values,
)
from steward_client.cli.session import Session
from steward_client.models import BookingStatus, ResourceType, Scope

NOUN = Noun(
    name="bookings",
    one="booking",
    group="bookings",
    metavar="BOOKING",
    said=lambda booking: (
        f"{booking['id']} {printable(booking['resourceName'])}, "
        f"{shown('startTime', booking['startTime'])} to {shown('endTime', booking['endTime'])}: {booking['status']}"
    ),
    columns=(
        Column("id", "id"),
        Column("what", "resourceName", shrinks=True),
        Column("from", "startTime"),
        Column("to", "endTime"),
        Column("status", "status"),
        Column("title", "title", shrinks=True),
    ),
)
_FREE = (
    Column("id", "id"),
    Column("name", "name", shrinks=True),
    Column("type", "type"),
    Column("holds", "capacity"),
    Column("has", "features", shrinks=True),
)
_LOCATION = Given(
    flag="--location", field="location_id", find=find.location, help="Where: id, externalId or code."
)
_FREE_FILTERS = (
    Given(flag="--capacity", field="capacity", type=click.IntRange(1), help="Holds at least so many."),
    Given(flag="--type", field="type", choices=choices(ResourceType), several=True, help="Only these."),
    Given(flag="--has", field="features", several=True, help="What it must have, such as a projector."),
    _LOCATION,
)
_MADE_WITH = (
    Given(flag="--title", field="title", help="What for."),
    Given(flag="--by", field="booked_by", find=find.user, help="For whom: id or e-mail address."),
    Given(flag="--repeat", field="recurrence", help="A rule of RFC 5545: FREQ=WEEKLY;COUNT=10"),
    EXTERNAL_ID,
)


def _hours() -> list[click.Parameter]:
    """When: a beginning, and an end or a length."""
    return [
        click.Option(["--from", "begin"], type=Moment(), required=True, help="When it begins."),
        click.Option(["--to", "end"], type=Moment(), help="When it ends."),
        click.Option(["--for", "length"], type=Span(), help="How long: 45m, 2h."),
    ]


def _end(begin: int, end: int | None, length: int | None) -> int:
    if (end is None) == (length is None):
        raise click.UsageError("give --to or --for, one of them")
    return end if end is not None else begin + (length or 0)


def _create(
    session: Session, what: str, begin: int, end: int | None, length: int | None, **given: Any
) -> None:
    until = _end(begin, end, length)
    fields = values(session.client, _MADE_WITH, given)
    resource = find.resource(session.client, what)
    made = session.client.bookings.create(resource_id=resource, start_time=begin, end_time=until, **fields)
    record = to_dict(made)
    session.output.record(record, said=NOUN.said(record))


def _free(
    session: Session,
    begin: int,
    end: int | None,
    length: int | None,
    *,
    show_all: bool,
    limit: int,
    **given: Any,
) -> None:
    until = _end(begin, end, length)
    wanted = values(session.client, _FREE_FILTERS, given)
    found = session.client.bookable_resources.list_free(
        from_=begin, to=until, **wanted, limit=page_size(limit, show_all)
    )
    show_records(session, _FREE, found, None if show_all else limit)


bookings = NOUN.commands(
    "Rooms, desks and vehicles, and who has them when.",
    NOUN.list_command(
        Given(
            flag="--status", field="status", choices=choices(BookingStatus), several=True, help="Only these."
        ),
        Given(
            flag="--resource",
            field="resource_id",
            find=find.resource,
            help="Of this one: id, externalId or name.",
        ),
        Given(flag="--by", field="booked_by", find=find.user, help="Of this person: id or e-mail address."),
        Given(flag="--from", field="from_", type=Moment(), help="With --to: what takes place in this time."),
        Given(flag="--to", field="to", type=Moment(), help="See --from."),
        _LOCATION,
        EXTERNAL_ID,
        SORT,
    ),
    NOUN.show_command(),
    command(
        "create",
        "Book a resource, named by its id, externalId or name.",
        _create,
        [
            click.Argument(["what"], metavar="RESOURCE"),
            *_hours(),
            *(option.option() for option in _MADE_WITH),
        ],
    ),
    NOUN.move_command(
        "cancel",
        "It won't be needed.",
        Given(
            flag="--scope", field="scope", choices=choices(Scope), help="Of a series: one, following or all."
        ),
    ),
    NOUN.move_command("check-in", "Somebody has come."),
    listing("free", "What is free in a time.", _free, _FREE_FILTERS, *_hours()),
)
