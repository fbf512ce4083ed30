"""How a setting is declared beside its type."""

from collections.abc import Callable
from typing import Any

import msgspec

from steward.settings import parsing

PREFIX = "STEWARD_"


class Setting(msgspec.Struct, frozen=True):
    """How a setting is read from its variable and written in it, and the sentence that explains it."""

    parse: Callable[[str], Any]
    format: str
    meaning: str
    # The name of the field that it describes.
    name: str = ""
    # Instead of a variable of ours, the one that all programs read for the same purpose.
    standard_variable: str | None = None

    @property
    def variable(self) -> str:
        return self.standard_variable or PREFIX + self.name.upper()

    @property
    def option(self) -> str:
        """On the command line, for the commands that take it."""
        return "--" + self.name.replace("_", "-")


def number(low: int, high: int, meaning: str, format: str = "number") -> Setting:
    return Setting(parsing.whole_number(low, high), format, meaning)


def seconds(low: int, high: int, meaning: str) -> Setting:
    return number(low, high, meaning, "seconds")


def days(low: int, high: int, meaning: str) -> Setting:
    return number(low, high, meaning, "days")


def switch(meaning: str) -> Setting:
    return Setting(parsing.on_off, "`on` or `off`", meaning)


def choice(meaning: str, *values: str) -> Setting:
    *most, last = (f"`{value}`" for value in values)
    return Setting(parsing.one_of(*values), f"{', '.join(most)} or {last}", meaning)
