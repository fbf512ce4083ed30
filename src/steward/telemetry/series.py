"""A series is the set of keys that one asset reports.

Its layout says which value is at which position of the history's arrays.
"""

import hashlib
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from weakref import WeakValueDictionary

import msgspec

from steward.kit.domain.problems import Invalid

MAX_KEYS = 200

Values = Mapping[str, float | int | bool]


class SeriesLayout:
    """The position of each key.

    A layout never changes; a series that grows gets a new one that begins like its last.
    """

    __slots__ = ("__weakref__", "digest", "keys", "positions")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys
        self.positions = {key: position for position, key in enumerate(keys)}
        self.digest = hashlib.sha256(msgspec.json.encode(keys)).digest()

    def holds(self, values: Values) -> bool:
        return self.positions.keys() >= values.keys()


# Equal layouts are one object, in all organizations.
_layouts: WeakValueDictionary[tuple[str, ...], SeriesLayout] = WeakValueDictionary()


def layout(keys: Iterable[str]) -> SeriesLayout:
    keys = tuple(keys)
    known = _layouts.get(keys)
    if known is None:
        known = _layouts[keys] = SeriesLayout(keys)
    return known


def extended(known: SeriesLayout, readings: Iterable[Values]) -> SeriesLayout:
    """Adds the keys of these readings. A reading with too many keys adds none: it will be refused."""
    keys = dict.fromkeys(known.keys)
    for values in readings:
        more = keys | dict.fromkeys(values)
        if len(more) <= MAX_KEYS:
            keys = more
    return known if len(keys) == len(known.keys) else layout(keys)


def row(known: SeriesLayout, values: Values) -> str:
    """These values as PostgreSQL writes an array: `{21.4,NULL,1}`, as long as the last of them needs."""
    if tuple(values) == known.keys:
        return f"{{{','.join(map(_written, values.values()))}}}"
    positions = known.positions
    parts = ["NULL"] * len(positions)
    length = 0
    for key, value in values.items():
        position = positions.get(key)
        if position is None:
            raise Invalid("values", f"an asset reports at most {MAX_KEYS} different keys")
        parts[position] = _written(value)
        if position >= length:
            length = position + 1
    return f"{{{','.join(parts[:length])}}}"


def written(values: Iterable[float | None]) -> str:
    """A row as read from the database."""
    return f"{{{','.join('NULL' if value is None else _written(value) for value in values)}}}"


def latest(earlier: str, later: str) -> str:
    """Merges two rows of the same second: the later wins, value by value."""
    before, after = earlier[1:-1].split(","), later[1:-1].split(",")
    both = zip_longest(before, after, fillvalue="NULL")
    return f"{{{','.join(old if new in ('NULL', '') else new for old, new in both)}}}"


def _written(value: float) -> str:
    return repr(+value)  # a plus turns true and false into 1 and 0
