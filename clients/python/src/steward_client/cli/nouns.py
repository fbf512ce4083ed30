"""The commands that every kind of record has: list, show, create, and its moves. Made from what the kind says of itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any

import click
import msgspec

from steward_client import Steward, to_dict
from steward_client.cli.cells import Column
from steward_client.cli.command import Moment, UserCommand, UserGroup, Word, command
from steward_client.cli.output import say
from steward_client.cli.session import Session

# Finds the id of what was named.
Find = Callable[[Steward, str], str]
SHOWN = 50
_LARGEST_PAGE = 100


def as_given(_client: Steward, reference: str) -> str:
    return reference


def choices(kind: type[StrEnum]) -> tuple[str, ...]:
    """The words of the API."""
    return tuple(member.value for member in kind)


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """An option whose value goes to the service under a name of the client."""

    flag: str
    field: str
    help: str
    choices: Sequence[str] = ()
    type: Any = None
    required: bool = False
    is_flag: bool = False
    # Repeated, or separated by commas.
    several: bool = False
    # The option takes what people say; the service wants an id.
    find: Find | None = None

    def option(self) -> click.Option:
        if self.is_flag:
            return click.Option([self.flag, self.field], is_flag=True, default=None, help=self.help)
        kind = Word(self.choices) if self.choices else self.type
        return click.Option(
            [self.flag, self.field],
            type=kind,
            required=self.required,
            multiple=self.several,
            help=self.help,
            metavar=None if kind is not None else self.flag.removeprefix("--").replace("-", "_").upper(),
        )

    def value(self, client: Steward, value: Any) -> Any:
        if self.several:
            return [self.find(client, one) if self.find else one for one in value]
        return self.find(client, value) if self.find else value


def values(client: Steward, options: Iterable[Given], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, under the client's names; what wasn't is left to the service."""
    return {
        option.field: option.value(client, given[option.field])
        for option in options
        if given.get(option.field) not in {None, ()}
    }


class Noun(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of record."""

    name: str
    one: str
    # The client's group of methods.
    group: str
    columns: Sequence[Column]
    find: Find = as_given
    # How a record is named on the command line.
    metavar: str
    # The one line that is said of a record which was made or moved.
    said: Callable[[Mapping[str, Any]], str]

    def methods(self, client: Steward) -> Any:
        return getattr(client, self.group)

    def list_command(self, *filters: Given, method: str = "list", **more: Any) -> UserCommand:
        def run(session: Session, *, show_all: bool, limit: int, **given: Any) -> None:
            wanted = values(session.client, filters, given)
            found = getattr(self.methods(session.client), method)(**wanted, limit=page_size(limit, show_all))
            show_records(session, self.columns, found, None if show_all else limit)

        return listing(
            more.pop("name", "list"), more.pop("help", f"List {self.name.replace('-', ' ')}."), run, filters
        )

    def show_command(self) -> UserCommand:
        def run(session: Session, reference: str) -> None:
            record = self.methods(session.client).get(self.find(session.client, reference))
            session.output.record(to_dict(record))

        return command("show", f"Show one {self.one} with all it has.", run, [self._argument()])

    def create_command(self, first: str, *options: Given, **more: Any) -> UserCommand:
        """`first` is the field without which there is none: the argument."""

        def run(session: Session, first_value: str, **given: Any) -> None:
            fields = {first: first_value, **values(session.client, options, given)}
            record = to_dict(self.methods(session.client).create(**fields))
            session.output.record(record, said=self.said(record))

        argument = click.Argument(["first_value"], metavar=first.upper())
        params = [argument, *(option.option() for option in options)]
        return command(more.pop("name", "create"), more.pop("help", f"Make a new {self.one}."), run, params)

    def update_command(self, *options: Given) -> UserCommand:
        def run(session: Session, reference: str, **given: Any) -> None:
            changes = values(session.client, options, given)
            if not changes:
                raise click.UsageError("nothing to change: give at least one option")
            record = to_dict(
                self.methods(session.client).update(self.find(session.client, reference), **changes)
            )
            session.output.record(record, said=self.said(record))

        params = [self._argument(), *(option.option() for option in options)]
        return command("update", f"Change {self.one} fields.", run, params)

    def move_command(self, name: str, help: str, *options: Given, method: str | None = None) -> UserCommand:
        """A verb of the service. It takes several records, and says of each what became of it."""

        def run(session: Session, references: Sequence[str], **given: Any) -> None:
            fields = values(session.client, options, given)
            for reference in references:
                move = getattr(self.methods(session.client), method or name.replace("-", "_"))
                record = to_dict(move(self.find(session.client, reference), **fields))
                session.output.record(record, said=self.said(record))

        argument = click.Argument(["references"], nargs=-1, required=True, metavar=f"{self.metavar}…")
        return command(name, help, run, [argument, *(option.option() for option in options)])

    def commands(self, help: str, *parts: click.Command) -> UserGroup:
        return UserGroup(self.name, help=help, commands=list(parts))

    def _argument(self) -> click.Argument:
        return click.Argument(["reference"], metavar=self.metavar)


def listing(
    name: str, help: str, run: Callable[..., None], filters: Sequence[Given], *first: click.Parameter
) -> UserCommand:
    params: list[click.Parameter] = [
        *first,
        *(option.option() for option in filters),
        click.Option(
            ["--limit"],
            type=click.IntRange(1),
            metavar="N",
            default=SHOWN,
            show_default=True,
            help="At most so many.",
        ),
        click.Option(["--all", "show_all"], is_flag=True, help="All of them."),
    ]
    return command(name, help, run, params, formats=("json", "csv"))


def page_size(limit: int, show_all: bool) -> int:  # noqa: FBT001 (click's)
    """One more than is shown, to know whether there are more."""
    return _LARGEST_PAGE if show_all else min(limit + 1, _LARGEST_PAGE)


def show_records(
    session: Session, columns: Sequence[Column], found: Iterable[Any], limit: int | None
) -> None:
    """Reads no more pages than it takes; says when there is more."""
    remaining = iter(found)
    shown = session.output.records(columns, map(to_dict, islice(remaining, limit)))
    if limit is not None and shown == limit and next(remaining, None) is not None:
        say(f"the first {limit}; --limit or --all for more")
    elif not shown and session.output.format == "table":
        say("nothing found")


SINCE = Given(flag="--updated-after", field="updated_after", type=Moment(), help="Changed then or later.")
WORDS = Given(flag="--search", field="q", help="Words to be found in it.")
SORT = Given(flag="--sort", field="sort", help="A field to sort by; with - in front of it descending.")
EXTERNAL_ID = Given(flag="--external-id", field="external_id", help="What another system calls it.")
