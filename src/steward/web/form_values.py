"""Pure: the parts of a field that is sent under several names, and what is wrong with a value, for people."""

import re
from typing import Any

FILL_IN = "Fill this in."

_LENGTH = re.compile(r"length (<=|>=) (\d+)")
_BOUND = re.compile(r"`(?:int|float)` (<=|>=|<|>) (-?[\d.]+)")
_PATH = re.compile(r" - at `\$(?P<path>[^`]*)`")
_INDEX = re.compile(r"\[(\d+)\]")
_MISSING = re.compile(r"missing required field `(\w+)`")
# No form of ours lies deeper, and no list of one is longer: what goes beyond is no field.
_MAX_DEPTH = 8
_MAX_DIGITS = 6
_SAID = (
    ("missing required field", FILL_IN),
    ("enum", "Choose one of the values that are offered."),
    ("Expected `int", "Use a whole number."),
    ("Expected `float", "Use a number."),
)
_BOUND_WORDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}


def nested(name: str, sent: dict[str, list[str]]) -> Any:
    """`name.0.text`, `name.0.done` … as the lists and objects that they describe; None where there are none."""
    tree: dict[str, Any] = {}
    for key, values in sent.items():
        first, *path = key.split(".")
        if first != name or not path or len(path) > _MAX_DEPTH:
            continue
        at = tree
        for step in path[:-1]:
            below = at.setdefault(step, {})
            if not isinstance(below, dict):
                break
            at = below
        else:
            at[path[-1]] = values[-1]
    return _listed(tree) if tree else ([] if name in sent else None)


def _listed(tree: Any) -> Any:
    """Where all keys are numbers, they are places in a list."""
    if not isinstance(tree, dict):
        return tree
    if all(key.isdecimal() and len(key) <= _MAX_DIGITS for key in tree):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    return {key: _listed(value) for key, value in tree.items()}


def tidy(value: Any) -> Any:
    """Without what was left blank: rows of a list that nobody filled in, and fields of an object."""
    if isinstance(value, list):
        kept = [tidied for item in value if (tidied := tidy(item)) is not None]
        return kept if kept or not value else []
    if isinstance(value, dict):
        kept_fields = {key: tidied for key, item in value.items() if (tidied := tidy(item)) is not None}
        return kept_fields or None
    return None if isinstance(value, str) and not value.strip() else value


def path_of(name: str, error: str) -> str:
    """The name of the part that an error is about, as the form calls it: `checklist.0.text`; the row, where one lacks something."""
    found = _PATH.search(error)
    return name + (_INDEX.sub(r".\1", found["path"]) if found else "")


def path_within(name: str, error: str) -> str:
    """The same for an entry of an object, whose fields each have a place of their own."""
    missing = _MISSING.search(error)
    return f"{path_of(name, error)}.{missing[1]}" if missing else path_of(name, error)


def in_plain_words(text: str) -> str:
    if length := _LENGTH.search(text):
        bound = "at most" if length[1] == "<=" else "at least"
        if "`array`" in text or "`object`" in text:
            return f"Give {bound} {length[2]} of these."
        return f"Use {bound} {length[2]} characters."
    if bounds := _BOUND.search(text):
        return f"Use a number that is {_BOUND_WORDS[bounds[1]]} {bounds[2]}."
    return next((words for sign, words in _SAID if sign in text), "This does not look right.")
