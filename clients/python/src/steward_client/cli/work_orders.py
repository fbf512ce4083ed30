"""`steward work-orders`."""

from collections.abc import Mapping
from typing import Any

import click

from steward_client import to_dict
from steward_client.cli import find
from steward_client.cli.cells import Column, printable, shown
from steward_client.cli.command import command
from steward_client.cli.nouns import EXTERNAL_ID, SINCE, SORT, WORDS, Given, Noun, choices
from steward_client.cli.session import Session
from steward_client.models import Priority, WorkOrderStatus


def _said(order: Mapping[str, Any]) -> str:
    return f"#{order['number']} {printable(order['title'])}: {order['status']}"


NOUN = Noun(
    name="work-orders",
    one="work order",
    group="work_orders",
    find=find.work_order,
    metavar="NUMBER",
    said=_said,
    columns=(
        Column("number", "number", prefix="#"),
        Column("title", "title", shrinks=True),
        Column("status", "status"),
        Column("priority", "priority"),
        Column("due", "slaResolutionDeadline"),
        Column("updated", "updated"),
    ),
)

_PRIORITY = Given(flag="--priority", field="priority", choices=choices(Priority), help="How urgent it is.")
_DESCRIPTION = Given(flag="--description", field="description", help="What there is to know.")
_ASSET = Given(
    flag="--asset", field="asset_id", find=find.asset, help="What it is about: the asset's id or externalId."
)
_LOCATION = Given(
    flag="--location", field="location_id", find=find.location, help="Where: id, externalId or code."
)
_ASSIGNEE = Given(
    flag="--assignee", field="assignee_id", find=find.user, help="Who does it: id or e-mail address."
)
_REASON = Given(flag="--reason", field="reason", required=True, help="Why; everybody can read it.")


def _show(session: Session, reference: str) -> None:
    """The order, and on a terminal what was said about it."""
    order = session.client.work_orders.get(find.work_order(session.client, reference))
    session.output.record(to_dict(order))
    if session.output.format == "table" and order.comment_count:
        click.echo("")
        for comment in session.client.work_orders.list_comments(order.id):
            click.echo(f"{shown('created', comment.created)}  {printable(comment.text)}")


def _comment(session: Session, reference: str, text: str) -> None:
    made = session.client.work_orders.create_comment(find.work_order(session.client, reference), text=text)
    session.output.record(to_dict(made), said="comment added")


def _assign(session: Session, reference: str, person: str) -> None:
    assignee = None if person == "nobody" else find.user(session.client, person)
    changed = session.client.work_orders.update(
        find.work_order(session.client, reference), assignee_id=assignee
    )
    record = to_dict(changed)
    session.output.record(record, said=f"{_said(record)}, assigned to {person}")


def _argument(name: str, metavar: str) -> click.Argument:
    return click.Argument([name], metavar=metavar)


work_orders = NOUN.commands(
    "Work orders: what is to be done, by number (12 or #12) or id.",
    NOUN.list_command(
        Given(
            flag="--status",
            field="status",
            choices=choices(WorkOrderStatus),
            several=True,
            help="Only these.",
        ),
        Given(
            flag="--priority", field="priority", choices=choices(Priority), several=True, help="Only these."
        ),
        Given(
            flag="--assignee",
            field="assignee_id",
            find=lambda client, who: "none" if who == "nobody" else find.user(client, who),
            help="Whose: id, e-mail address, or `nobody`.",
        ),
        _ASSET,
        _LOCATION,
        Given(flag="--overdue", field="overdue", is_flag=True, help="Not completed in time."),
        EXTERNAL_ID,
        SINCE,
        WORDS,
        SORT,
    ),
    command(
        "show",
        "Show one work order with all it has, and its comments.",
        _show,
        [_argument("reference", "NUMBER")],
    ),
    NOUN.create_command("title", _PRIORITY, _DESCRIPTION, _ASSET, _LOCATION, _ASSIGNEE, EXTERNAL_ID),
    NOUN.move_command("start", "Begin the work."),
    NOUN.move_command("hold", "Stop the work and the clock.", _REASON),
    NOUN.move_command("resume", "Go on with it."),
    NOUN.move_command("complete", "It is done."),
    NOUN.move_command("cancel", "It won't be done.", _REASON),
    NOUN.move_command("reopen", "It wasn't done after all."),
    command(
        "comment",
        "Say something about it.",
        _comment,
        [_argument("reference", "NUMBER"), _argument("text", "TEXT")],
    ),
    command(
        "assign",
        "Say who does it: a user's id or e-mail address, or `nobody`.",
        _assign,
        [_argument("reference", "NUMBER"), _argument("person", "USER")],
    ),
)
