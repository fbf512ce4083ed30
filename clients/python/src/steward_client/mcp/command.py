"""`steward mcp`: the command that starts the server. What it needs of the protocol's SDK is imported when it runs."""

import asyncio
import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

import click

from steward_client._version import VERSION
from steward_client.cli import profiles
from steward_client.cli.command import profile_option
from steward_client.cli.errors import INTERRUPTED, USAGE, CommandError
from steward_client.cli.session import LOCAL, choose, known_profiles

_HELP = """Serves the Model Context Protocol, so that an assistant can search and read with an API key's permissions.

Over standard input and output it uses your login (`steward login`), or STEWARD_URL, STEWARD_ORG and STEWARD_API_KEY. Over
HTTP every caller sends an API key of their own in X-API-Key or as a bearer value, and an organization in X-Steward-Org.
"""


def _groups(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip().replace("-", "_") for name in (value or "").split(",") if name.strip())


@click.command("mcp", help=_HELP, params=[profile_option()])
@click.option("--allow-writes", is_flag=True, help="Offer tools that change something, too.")
@click.option(
    "--tools",
    "groups",
    metavar="GROUPS",
    callback=_groups,
    help="Which groups of tools, such as work_orders,assets; all for every one. The everyday ones, when absent.",
)
@click.option("--http", is_flag=True, help="Serve over HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: the address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="With --http: the port."
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="With --http: a name that clients reach this server by, such as mcp.example.com. Can be given several times.",
)
def mcp(
    profile: str | None,
    groups: tuple[str, ...],
    host: str,
    port: int,
    allowed_hosts: tuple[str, ...],
    *,
    allow_writes: bool,
    http: bool,
) -> None:
    access = _access(profile)
    run = _server_code()
    choice = run.Choice(url=access.get("url", LOCAL), groups=groups, writes=allow_writes, version=VERSION)
    if http:
        organization = access.get("organization")
        serving = run.over_http(
            choice, host=host, port=port, allowed_hosts=allowed_hosts, organization=organization
        )
    else:
        serving = run.over_stdio(choice, run.Caller(*_own(access)))
    try:
        asyncio.run(serving)
    except run.StartError as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


def _access(profile: str | None) -> Mapping[str, str]:
    try:
        fields, _source = choose(profile, os.environ, known_profiles(profiles.config_file()))
    except profiles.ProfileError as error:
        raise CommandError(str(error), USAGE) from None
    return fields


def _own(access: Mapping[str, str]) -> tuple[str, str]:
    """Key and organization of the user who started the server."""
    if "api_key" not in access or "organization" not in access:
        raise CommandError(
            "you are not logged in", USAGE, "run `steward login`, or set STEWARD_API_KEY and STEWARD_ORG"
        )
    return access["api_key"], access["organization"]


def _server_code() -> ModuleType:
    try:
        return import_module("steward_client.mcp.run")
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package == "steward_client":
            raise
        raise CommandError(
            f"{package} isn't installed",
            USAGE,
            "pip install './clients/python[mcp]' in a checkout brings what this needs",
        ) from None
