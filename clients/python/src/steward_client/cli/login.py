"""`steward login` and what belongs to it."""

import os
import sys
from typing import IO
from urllib.parse import urlsplit

import click

from steward_client import Forbidden, Steward
from steward_client.cli import profiles
from steward_client.cli.cells import Column, printable
from steward_client.cli.command import ProfileName, UserCommand, UserGroup
from steward_client.cli.errors import USAGE, CommandError
from steward_client.cli.explain import explained
from steward_client.cli.output import say
from steward_client.cli.session import LOCAL, Access, Session, known_profiles

_LOCAL_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})


def _read_key(file: IO[str] | None) -> str:
    """Never from the command line, which other users see in the process list."""
    if file is not None:
        try:
            key = file.readline().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"the file with the API key can't be read: {error}", USAGE) from None
    elif given := os.environ.get("STEWARD_API_KEY"):
        key = given
    elif sys.stdin.isatty():
        key = click.prompt("API key", hide_input=True, err=True).strip()
    else:
        raise CommandError(
            "there is no terminal to ask on", USAGE, "give --api-key-file FILE, or - for standard input"
        )
    if not key or not key.isascii() or not key.isprintable():
        raise CommandError("that is not an API key", USAGE)
    return key


def _ask(given: str | None, variable: str, question: str, default: str | None = None) -> str:
    if answer := given or os.environ.get(variable):
        return answer
    if not sys.stdin.isatty():
        raise CommandError(
            f"there is no terminal to ask for the {question}", USAGE, f"set {variable}, or give the option"
        )
    return str(click.prompt(question, default=default, err=True)).strip()


def _checked_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        raise CommandError(f"{url} is not an address such as https://steward.example.com", USAGE)
    if parts.scheme == "http" and parts.hostname not in _LOCAL_HOSTS:
        say(f"steward: the key goes to {parts.hostname} unencrypted; use https where you can")
    return url.rstrip("/")


def _name_of(client: Steward) -> str:
    """Shows that the key opens the organization. A narrow key may do so without being told its name."""
    try:
        return client.organizations.get().name
    except Forbidden as error:
        if "permission" in error.message:
            return str(client.organization)
        raise


@click.command(cls=UserCommand, formats=())
@click.option("--url", metavar="URL", help="Where Steward answers; STEWARD_URL says the same.")
@click.option("--organization", metavar="ORG", help="The organization: org_…; STEWARD_ORG says the same.")
@click.option(
    "--api-key-file",
    type=click.File(encoding="utf-8"),
    help="Its first line is the API key; - reads standard input. STEWARD_API_KEY says it, too; else it is asked for.",
)
def login(session: Session, url: str | None, organization: str | None, api_key_file: IO[str] | None) -> None:
    """Log in with an API key and remember it as a profile.

    The web app makes API keys under "API keys". The key is kept in a file that only you may read.
    """
    file = profiles.config_file()
    known = known_profiles(file)
    name = profiles.checked_name(known.chosen(session.profile or os.environ.get("STEWARD_PROFILE") or None))
    address = _checked_address(_ask(url, "STEWARD_URL", "URL", LOCAL))
    whose = _ask(organization, "STEWARD_ORG", "Organization (org_…)")
    access = Access(address, whose, _read_key(api_key_file), "login")
    session.use(access)
    title = _name_of(session.client)
    known.put(name, profiles.Profile(access.url, access.organization, access.api_key))
    profiles.save(file, known)
    click.echo(f"logged in to {printable(title)} at {access.url} as profile {name}")
    if known.default != name:
        say(f"the default is still {known.default}: give --profile {name}, or `steward profiles use {name}`")


@click.command(cls=UserCommand, formats=())
def logout(session: Session) -> None:
    """Forget a profile and its key. The key itself stays valid until it is revoked."""
    file = profiles.config_file()
    known = known_profiles(file)
    name = known.chosen(session.profile or os.environ.get("STEWARD_PROFILE") or None)
    known.remove(name)
    profiles.save(file, known)
    click.echo(f"forgot the profile {name}")


@click.command(cls=UserCommand)
def whoami(session: Session) -> None:
    """Show which service, organization and key are used, and that they work."""
    access = session.access
    name = _name_of(session.client)
    session.output.record(
        {
            "source": access.source,
            "url": access.url,
            "organization": access.organization,
            "name": name,
            "apiKey": f"{access.api_key[:12]}…" if len(access.api_key) > 20 else "…",
        }
    )


@click.group("profiles", cls=UserGroup, invoke_without_command=True)
@click.pass_context
def profiles_group(ctx: click.Context) -> None:
    """List the logins that are remembered, and choose the default."""
    if ctx.invoked_subcommand is None:
        session = Session()
        with explained(session):
            _show_profiles(session)


_COLUMNS = (
    Column("name", "name"),
    Column("default", "default"),
    Column("url", "url", shrinks=True),
    Column("organization", "organization"),
)


@profiles_group.command("list", formats=("json", "csv"))
def _list(session: Session) -> None:
    """List the logins that are remembered; never their keys."""
    _show_profiles(session)


def _show_profiles(session: Session) -> None:
    known = known_profiles(profiles.config_file())
    records = [
        {
            "name": name,
            "default": name == known.default,
            "url": profile.url,
            "organization": profile.organization,
        }
        for name, profile in sorted(known.profiles.items())
    ]
    if records or session.output.format != "table":
        session.output.records(_COLUMNS, records)
    else:
        say("there are none yet: `steward login` makes one")


@profiles_group.command("use", formats=())
@click.argument("name", type=ProfileName())
def _use(session: Session, name: str) -> None:  # noqa: ARG001 (every command has one)
    """Make a profile the default."""
    file = profiles.config_file()
    known = known_profiles(file)
    known.get(name)
    known.default = name
    profiles.save(file, known)
    click.echo(f"{name} is the default")
