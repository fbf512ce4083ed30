"""`steward webhooks`."""

from typing import Any

import click

from steward_client import to_dict
from steward_client.cli.cells import Column, printable
from steward_client.cli.command import Moment, Word, command
from steward_client.cli.nouns import Given, Noun, choices, listing, page_size, show_records, values
from steward_client.cli.output import say
from steward_client.cli.session import Session
from steward_client.models import DeliveryStatus, ReplaySelection

NOUN = Noun(
    name="webhooks",
    one="webhook",
    group="webhooks",
    metavar="WEBHOOK",
    said=lambda webhook: f"{webhook['webhookId']} {printable(webhook['url'])}: {webhook['status']}",
    columns=(
        Column("id", "webhookId"),
        Column("url", "url", shrinks=True),
        Column("events", "events", shrinks=True),
        Column("status", "status"),
        Column("reason", "disabledReason", shrinks=True),
    ),
)
_DELIVERIES = (
    Column("id", "deliveryId"),
    Column("event", "eventType"),
    Column("status", "status"),
    Column("attempts", "attempts"),
    Column("created", "created"),
    Column("next attempt", "nextAttemptAt"),
    Column("reason", "reason", shrinks=True),
)
_STATUS = Given(
    flag="--status", field="status", choices=choices(DeliveryStatus), several=True, help="Only these."
)
_WEBHOOK = "WEBHOOK"


def _create(session: Session, url: str, events: tuple[str, ...], description: str | None) -> None:
    made = to_dict(
        session.client.webhooks.create(url=url, events=list(events) or ["*"], description=description)
    )
    session.output.record(made, said=NOUN.said(made))
    if session.output.format == "table":
        click.echo(f"signing secret: {made['signingSecret']}")
        say("the secret is shown this once; the receiver verifies signatures with it")


def _test(session: Session, webhook: str) -> None:
    sent = to_dict(session.client.webhooks.test(webhook))
    said = f"sent: `steward webhooks deliveries {webhook}` shows what comes of {sent['deliveryId']}"
    session.output.record(sent, said=said)


def _deliveries(
    session: Session,
    webhook: str,
    *,
    show_all: bool,
    limit: int,
    **given: Any,
) -> None:
    wanted = values(session.client, [_STATUS], given)
    found = session.client.webhooks.list_deliveries(webhook, **wanted, limit=page_size(limit, show_all))
    show_records(session, _DELIVERIES, found, None if show_all else limit)


def _replay(
    session: Session, webhook: str, since: int, until: int, only: str, types: tuple[str, ...]
) -> None:
    begun = session.client.webhooks.create_replay(
        webhook, since=since, until=until, only=ReplaySelection(only), types=list(types) or None
    )
    started = to_dict(begun)
    session.output.record(started, said=f"{started['id']}: {started['status']}")


def _argument() -> click.Argument:
    return click.Argument(["webhook"], metavar=_WEBHOOK)


webhooks = NOUN.commands(
    "Where events are sent to, and what became of them.",
    NOUN.list_command(),
    NOUN.show_command(),
    command(
        "create",
        "Let events be sent to a URL. Says the secret with which they are signed.",
        _create,
        [
            click.Argument(["url"], metavar="URL"),
            click.Option(
                ["--event", "events"],
                multiple=True,
                metavar="TYPE",
                help="Such as workorder.created or workorder.*; again for more. Everything, when absent.",
            ),
            click.Option(["--description"], help="What it is for."),
        ],
    ),
    command("test", "Send a test event.", _test, [_argument()]),
    listing("deliveries", "List what was sent, newest first.", _deliveries, [_STATUS], _argument()),
    command(
        "replay",
        "Send the events of a time again.",
        _replay,
        [
            _argument(),
            click.Option(["--since"], type=Moment(), required=True, help="From then on."),
            click.Option(["--until"], type=Moment(), default="now", show_default=True, help="Until then."),
            click.Option(
                ["--only"],
                type=Word(choices(ReplaySelection)),
                default="failed",
                show_default=True,
                help="Which of them.",
            ),
            click.Option(["--event", "types"], multiple=True, metavar="TYPE", help="Only these types."),
        ],
    ),
)
