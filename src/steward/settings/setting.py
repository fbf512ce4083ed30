"""What there is to say of a setting beside its type."""

from collections.abc import Callable
from typing import Any

import msgspec

PREFIX = "STEWARD_"


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """How a setting is read from its variable and written in it, and the sentence that explains it."""

    parse: Callable[[str], Any]
    format: str
    meaning: str
    # That of the field which it describes.
    name: str = ""
    # Where all programs that can do the same are told by one variable.
    standard_variable: str | None = None

    @property
    def variable(self) -> str:
        return self.standard_variable or PREFIX + self.name.upper()

    @property
    def option(self) -> str:
        """Of the commands that let it be given there."""
        return "--" + self.name.replace("_", "-")
