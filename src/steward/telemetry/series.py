"""A series is what one asset reports. Its layout says which value stands where in the arrays of the history."""

from collections.abc import Iterable, Mapping
from weakref import WeakValueDictionary

from steward.kit.problems import Invalid

MOST_KEYS = 200

Values = Mapping[str, float | int | bool]


class Layout:
    """Keys are only ever appended to a series, so that a layout which is out of date is too short and never wrong."""

    __slots__ = ("__weakref__", "keys", "positions")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys
        self.positions = {key: position for position, key in enumerate(keys)}

    def holds(self, values: Values) -> bool:
        return self.positions.keys() >= values.keys()


# A million devices of one type have one layout between them.
_layouts: WeakValueDictionary[tuple[str, ...], Layout] = WeakValueDictionary()


def layout(keys: Iterable[str]) -> Layout:
    keys = tuple(keys)
    known = _layouts.get(keys)
    if known is None:
        known = _layouts[keys] = Layout(keys)
    return known


def extended(known: Layout, readings: Iterable[Values]) -> Layout:
    """With the keys that these readings bring. One that brings too many brings none: it is going to be refused."""
    keys = dict.fromkeys(known.keys)
    for values in readings:
        more = keys | dict.fromkeys(values)
        if len(more) <= MOST_KEYS:
            keys = more
    return known if len(keys) == len(known.keys) else layout(keys)


def row(known: Layout, values: Values) -> str:
    """These values as PostgreSQL writes an array: `{21.4,NULL,1}`, as long as the last of them needs."""
    positions = known.positions
    parts = ["NULL"] * len(positions)
    length = 0
    for key, value in values.items():
        position = positions.get(key)
        if position is None:
            raise Invalid("values", f"an asset reports at most {MOST_KEYS} different keys")
        parts[position] = repr(+value)  # a plus makes 1 and 0 of true and false
        if position >= length:
            length = position + 1
    return "{" + ",".join(parts[:length]) + "}"


class Memory:
    """The layouts of the series that were needed of late, in this process.

    Two generations: what wasn't asked for while one filled up is forgotten with the next.
    """

    def __init__(self, most: int = 400_000) -> None:
        self._most = most // 2
        self._young: dict[int, Layout] = {}
        self._old: dict[int, Layout] = {}

    def get(self, series: int) -> Layout | None:
        found = self._young.get(series)
        if found is None and (found := self._old.get(series)) is not None:
            self.keep(series, found)
        return found

    def keep(self, series: int, known: Layout) -> None:
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[series] = known
