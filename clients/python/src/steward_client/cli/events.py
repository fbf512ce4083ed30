"""`steward events tail`: the change feed in the terminal."""

from pathlib import Path

import click

from steward_client import Feed, StewardError, to_dict
from steward_client.cli import moments
from steward_client.cli.cells import printable
from steward_client.cli.command import UserGroup, command
from steward_client.cli.errors import USAGE, CommandError
from steward_client.cli.explain import explain
from steward_client.cli.files import replaced
from steward_client.cli.output import as_json, line, say
from steward_client.cli.session import Session

_OLDEST = "start"
_NOW = "now"


def _tail(
    session: Session, types: tuple[str, ...], after: str | None, cursor_file: Path | None, count: int | None
) -> None:
    begin = after or (_remembered(cursor_file) if cursor_file else None) or _NOW
    wanted = [part.strip() for words in types for part in words.split(",") if part.strip()]
    feed = _begun(session, None if begin == _OLDEST else begin, wanted or None)
    # A reader that stops before the first event resumes here, not at the `now` of the next start.
    _remember(cursor_file, feed.cursor or _OLDEST)
    if session.output.format == "table":
        say("Listening; Ctrl-C ends it.")
    for number, event in enumerate(feed, 1):
        if session.output.format == "json":
            line(as_json(to_dict(event)))
        else:
            told = to_dict(event)["data"].get("object") or {}
            name = told.get("title") or told.get("name") or ""
            moment = moments.shown(event.created, seconds_too=True)
            line(f"{moment}  {event.type:<26}  {told.get('id') or event.id}  {printable(str(name))}".rstrip())
        # After the write: an interruption in between repeats an event instead of losing it.
        _remember(cursor_file, feed.cursor)
        if number == count:
            return


def _begun(session: Session, after: str | None, types: list[str] | None) -> Feed:
    """The first request must be answered, since the address may be wrong. Later outages are waited out, and each is said once."""
    answered = False

    def on_outage(error: StewardError) -> None:
        if not answered:
            raise error
        if feed.outages == 1:
            say(f"steward: {explain(error, session.access).message}; waiting for the service")

    feed = session.client.events.follow(after=after, types=types, on_outage=on_outage)
    feed.begin()
    answered = True
    return feed


def _remember(file: Path | None, cursor: str) -> None:
    if file is None or cursor == _NOW:
        return
    with replaced(file) as opened:
        opened.write(f"{cursor}\n".encode())


def _remembered(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} can't be read: {error}", USAGE) from None


events = UserGroup(
    "events",
    help="What happens.",
    commands=[
        command(
            "tail",
            "Show events as they happen, each once and in order, until Ctrl-C. A service that goes away is waited for.",
            _tail,
            [
                click.Option(
                    ["--type", "types"],
                    multiple=True,
                    metavar="TYPE",
                    help="Such as workorder.* or asset.created; again, or with commas, for more.",
                ),
                click.Option(
                    ["--after"], metavar="CURSOR", help="From there on; `start` is the oldest that is kept."
                ),
                click.Option(
                    ["--cursor-file"],
                    type=click.Path(dir_okay=False, path_type=Path),
                    help="Remembers how far it came, and goes on there.",
                ),
                click.Option(["--count"], type=click.IntRange(1), metavar="N", help="End after so many."),
            ],
        )
    ],
)
