"""What a value of the API looks like to a person, and in a CSV file."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from steward_client.cli import moments

# Fields of Unix seconds have names like these throughout the API.
_MOMENT_ENDINGS = ("At", "Time", "Deadline", "Since")
_MOMENT_NAMES = frozenset(
    {
        "created",
        "updated",
        "lastSeen",
        "firstSeen",
        "lastUsed",
        "expectedArrival",
        "since",
        "until",
        "timestamp",
    }
)
# A spreadsheet takes a cell that begins like this for something to compute; the service's own exports quote them so, too.
_FORMULA = tuple("=+-@\t\r")

# Within words of some scripts, and within emoji.
_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"

_GOOD, _BUSY, _LOUD, _QUIET = "good", "busy", "loud", "quiet"
LOOKS: Mapping[str, Mapping[str, Any]] = {
    _GOOD: {"fg": "green"},
    _BUSY: {"fg": "yellow"},
    _LOUD: {"fg": "red", "bold": True},
    _QUIET: {"dim": True},
    "bold": {"bold": True},
}
STYLES: Mapping[str, str] = {
    **dict.fromkeys(
        ("Completed", "CheckedIn", "Normal", "Online", "active", "succeeded", "completed"), _GOOD
    ),
    **dict.fromkeys(
        ("InProgress", "OnHold", "High", "Warning", "Acknowledged", "retrying", "running"), _BUSY
    ),
    **dict.fromkeys(("Critical", "Active", "NoShow", "failed", "disabled"), _LOUD),
    **dict.fromkeys(("Cancelled", "CheckedOut", "Cleared", "Low", "cancelled", "skipped", "paused"), _QUIET),
}


class Column(msgspec.Struct, frozen=True):
    """A field of a record, by the API's name for it; dots reach into objects."""

    title: str
    field: str
    # The number of a record is written as people say it.
    prefix: str = ""
    # What is long gives way first on a narrow terminal.
    shrinks: bool = False

    def value(self, record: Mapping[str, Any]) -> Any:
        found: Any = record
        for part in self.field.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def text(self, record: Mapping[str, Any]) -> str:
        words = shown(self.field, self.value(record))
        return f"{self.prefix}{words}" if words else ""


def is_moment(field: str, value: Any) -> bool:
    name = field.rpartition(".")[2]
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and (name in _MOMENT_NAMES or name.endswith(_MOMENT_ENDINGS))
    )


def shown(field: str, value: Any) -> str:
    """One line. Times are local."""
    if is_moment(field, value):
        return moments.shown(value)
    match value:
        case None:
            words = ""
        case bool():
            words = "yes" if value else "no"
        case float():
            words = f"{value:g}"
        case str():
            words = printable(value)
        case Mapping():
            # Its keys are often chosen by users: `leadTime` of theirs is no moment.
            words = ", ".join(f"{printable(key)}={shown('', part)}" for key, part in value.items())
        case Sequence():
            words = ", ".join(shown("", part) for part in value)
        case _:
            words = str(value)
    return words


def printable(text: str) -> str:
    """Others wrote it: no character of theirs may move the cursor, change colours or break the line."""
    return "".join(map(_printable, text.replace("\r\n", "\n")))


def _printable(character: str) -> str:
    if character in "\n\t":
        return " "
    return "\N{REPLACEMENT CHARACTER}" if _is_hidden(character) else character


def escaped(json_text: str) -> str:
    """The same JSON, without the characters that `printable` takes away."""
    return "".join(_escaped(one) if _is_hidden(one) else one for one in json_text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs"} and character not in _JOINERS


def for_csv(value: Any) -> str:
    """As the API has it: times in Unix seconds, objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, Mapping | Sequence):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)
