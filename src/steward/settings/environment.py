"""Reads the settings from variables; an unreadable one stops the start."""

from collections.abc import Iterable, Mapping
from typing import Any

from steward.settings.model import SETTINGS, Settings
from steward.settings.setting import PREFIX, Setting

_BY_VARIABLE = {setting.variable: setting for setting in SETTINGS}
_BY_NAME = {setting.name: setting for setting in SETTINGS}

# Variables with the prefix that aren't settings of the service: those of API clients, as in all our examples (the address, their key
# and their organization, or the profile in which the command line keeps them), those that the supervisor sets for its children,
# and the switches of our own test suite and benchmarks.
NOT_SETTINGS = frozenset(
    {
        "STEWARD_URL",
        "STEWARD_API_KEY",
        "STEWARD_ORG",
        "STEWARD_PROFILE",
        "STEWARD_SUPERVISED",
        "STEWARD_LISTEN_FD",
        "STEWARD_METRICS_FD",
        "STEWARD_READY_FD",
        "STEWARD_CLUSTER",
        "STEWARD_PGBOUNCER",
        "STEWARD_TEST_BROKER",
        "STEWARD_TEST_POOLER",
        "STEWARD_TEST_BROWSER",
    }
)


class SettingsError(Exception):
    """A setting that can't be used; the message names it."""


def from_environment(environment: Mapping[str, str], **overrides: Any) -> Settings:
    """Reads all `STEWARD_*` variables and the standard ones; an override wins if it isn't None. A text is an option of the
    command line, and is read like its variable."""
    given = dict(_read_all(environment))
    for name, value in overrides.items():
        if isinstance(value, str):
            given[name] = _read(_BY_NAME[name], value, _BY_NAME[name].option)
        elif value is not None:
            given[name] = value
    settings = Settings(**given)
    if settings.database_listen_url is not None and settings.database_url is None:
        raise SettingsError("STEWARD_DATABASE_LISTEN_URL needs STEWARD_DATABASE_URL")
    return settings


def _read_all(environment: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    for variable, text in sorted(environment.items()):
        setting = _BY_VARIABLE.get(variable)
        if setting is not None:
            yield setting.name, _read(setting, text, variable)
        elif variable.startswith(PREFIX) and variable not in NOT_SETTINGS:
            raise SettingsError(f"{variable} is not a setting of Steward; see docs/reference/settings.md")


def _read(setting: Setting, text: str, called: str) -> Any:
    try:
        return setting.parse(text)
    except ValueError as error:
        raise SettingsError(f"{called} {error}") from None
