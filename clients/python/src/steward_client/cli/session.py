"""What a command works with: a connection by a profile or by the environment, and where its result goes."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from steward_client import Steward
from steward_client.cli import profiles
from steward_client.cli.errors import USAGE, CommandError
from steward_client.cli.output import Output, say

LOCAL = "http://127.0.0.1:8000"
# Somebody sits there: better to say what is wrong than to try for minutes.
_RETRIES = 2
_PATIENCE_SECONDS = 5.0
VARIABLES = {"url": "STEWARD_URL", "organization": "STEWARD_ORG", "api_key": "STEWARD_API_KEY"}


class Access(msgspec.Struct, frozen=True):
    """Where to, whose, and with which key; and what said so."""

    url: str
    organization: str
    api_key: str
    source: str


def choose(
    option: str | None, environment: Mapping[str, str], known: profiles.Profiles
) -> tuple[Mapping[str, str], str]:
    """What is known of the access, and where it comes from.

    An option wins over everything, since it was written just now. Then each variable wins over the profile.
    """
    if option is not None:
        return msgspec.structs.asdict(_found(known, option)), f"profile {option}"
    given = {field: environment[name] for field, name in VARIABLES.items() if environment.get(name)}
    if len(given) == len(VARIABLES):
        return given, "environment"
    name = known.chosen(environment.get("STEWARD_PROFILE") or None)
    saved = known.get(environment.get("STEWARD_PROFILE") or None)
    fields = msgspec.structs.asdict(saved) if saved is not None else {}
    source = f"profile {name}" if saved is not None else "environment"
    return {**fields, **given}, f"{source} and environment" if saved is not None and given else source


def _found(known: profiles.Profiles, name: str) -> profiles.Profile:
    found = known.get(name)
    if found is None:
        raise profiles.ProfileError(f"there is no profile {name}")
    return found


def known_profiles(file: Path) -> profiles.Profiles:
    """Those that are remembered there; that others could read them is said."""
    known, warning = profiles.load(file)
    if warning:
        say(f"steward: {warning}")
    return known


class Session:
    def __init__(self, profile: str | None = None, output: Output | None = None) -> None:
        self.profile = profile
        self.output = output or Output()

    @cached_property
    def access(self) -> Access:
        fields, source = choose(self.profile, os.environ, known_profiles(profiles.config_file()))
        missing = [name for field, name in VARIABLES.items() if field not in fields and field != "url"]
        if missing:
            raise CommandError(
                "you are not logged in", USAGE, f"run `steward login`, or set {' and '.join(missing)}"
            )
        return Access(fields.get("url", LOCAL), fields["organization"], fields["api_key"], source)

    def use(self, access: Access) -> None:
        """In place of what profile and environment say."""
        self.access = access

    @cached_property
    def client(self) -> Steward:
        access = self.access
        try:
            return Steward(
                access.url,
                access.api_key,
                access.organization,
                max_retries=_RETRIES,
                max_wait=_PATIENCE_SECONDS,
            )
        except ValueError as error:
            raise CommandError(str(error), USAGE) from None

    def close(self) -> None:
        if "client" in self.__dict__:
            self.client.close()
