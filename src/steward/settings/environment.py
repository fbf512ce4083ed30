"""Settings are read from variables; what can't be read stops the start."""

from collections.abc import Iterable, Mapping
from typing import Any

from steward.settings.model import PREFIX, SETTINGS, Settings

_BY_VARIABLE = {setting.variable: setting for setting in SETTINGS}

# Variables with the prefix that aren't settings of the service: the supervisor's words to its children, and the
# switches of our own test suite and benchmarks.
NOT_SETTINGS = frozenset(
    {
        "STEWARD_SUPERVISED",
        "STEWARD_LISTEN_FD",
        "STEWARD_METRICS_FD",
        "STEWARD_READY_FD",
        "STEWARD_TEST_BROKER",
        "STEWARD_TEST_BROWSER",
    }
)


class SettingsError(Exception):
    """A setting that can't be used; the message names it."""


def from_environment(environment: Mapping[str, str], **overrides: Any) -> Settings:
    """Reads all `STEWARD_*` variables; an override (a command-line option) wins where it isn't None."""
    given = dict(_read_all(environment))
    given |= {name: value for name, value in overrides.items() if value is not None}
    return Settings(**given)


def _read_all(environment: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    for variable, text in sorted(environment.items()):
        if not variable.startswith(PREFIX) or variable in NOT_SETTINGS:
            continue
        setting = _BY_VARIABLE.get(variable)
        if setting is None:
            raise SettingsError(f"{variable} is not a setting of Steward; see docs/reference/settings.md")
        try:
            yield setting.name, setting.parse(text)
        except ValueError as error:
            raise SettingsError(f"{variable} {error}") from None
