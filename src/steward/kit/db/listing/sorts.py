"""The orders that a list declares: fields of its records, one or several of them, each in either direction.

A field has an index that ends with the identifier, so that a page costs the same at any depth. Several fields are compared as one text.
Without an index for it, the records are read, sorted and cut, as long as they are few.
"""

from collections.abc import Mapping, Sequence

import msgspec

from steward.kit.domain.problems import Invalid

_DIGITS, _OPPOSITES = "0123456789abcdef", "fedcba9876543210"


class Sort(msgspec.Struct, frozen=True):
    """An expression that is never NULL and has an index together with the identifier. `indexed_with` names the filters that have an index
    in this order, and `only_with` the filter without which there is none. No two records have the same value of a `unique` one."""

    expression: str
    type: str = "bigint"
    indexed_with: tuple[str, ...] = ()
    only_with: str | None = None
    unique: bool = False


class Order(msgspec.Struct, frozen=True):
    """Rows are sorted by `expression` and then by identifier; without a `name`, the newest identifier comes first and `expression` is it.
    `indexed_with` is None if every filter with an index has one in this order."""

    name: str
    expression: str
    type: str
    descending: bool
    indexed_with: tuple[str, ...] | None = None
    by_index: bool = True

    @property
    def is_default(self) -> bool:
        return not self.name


def folded(column: str) -> str:
    """A name as it is sorted and indexed: without case and accents, the same on every server."""
    return f"""(folded_name({column}) COLLATE "C")"""


class Sorts:
    """Those of one list, by field. `age` is the field in whose order identifiers are, and `former` maps old names to new ones."""

    def __init__(
        self, sorts: Mapping[str, Sort] | None, id: str, *, age: str, former: Mapping[str, str] | None
    ) -> None:
        self._age = age
        self.known = {} if sorts is None else {**sorts, age: Sort(id, "text", unique=True)}
        self.former = dict(former or {})
        self.newest_first = Order("", id, "text", descending=True)
        self.single = {
            name: Order(
                name,
                sort.expression,
                sort.type,
                descending,
                None if sort.expression == id else sort.indexed_with,
            )
            for field, sort in self.known.items()
            for name, descending in ((field, False), (f"-{field}", True))
        }

    def order(self, wanted: Sequence[str] | None, filters: Mapping[str, object]) -> Order:
        if wanted is None:
            return self.newest_first
        names = self._deciding([self._present(name) for name in wanted])
        for name in names:
            sort = self.known.get(name.removeprefix("-"))
            if name not in self.single or sort is None or sort.only_with not in (None, *filters):
                known = ", ".join(self.known)
                raise Invalid("sort", f"must be one of {known}, with - in front for descending")
        if len(names) == 1:
            return self.single[names[0]]
        return Order(",".join(names), self._combined(names), "text", descending=False, by_index=False)

    def _present(self, name: str) -> str:
        bare = name.removeprefix("-")
        return name.removesuffix(bare) + self.former.get(bare, bare) if bare else name

    def _deciding(self, names: list[str]) -> list[str]:
        """Without fields that change nothing: after a unique one, a second time, or last and as equal records are sorted anyway."""
        found: dict[str, str] = {}
        for name in names:
            bare = name.removeprefix("-")
            found.setdefault(bare, name)
            if bare in self.known and self.known[bare].unique:
                break
        kept = list(found.values())
        if len(kept) == 2 and kept[1].removeprefix("-") == self._age:
            same_direction = kept[0].startswith("-") == kept[1].startswith("-")
            return kept[:1] if same_direction else kept
        return kept

    def _combined(self, names: Sequence[str]) -> str:
        parts = [_part(self.known[name.removeprefix("-")], descending=name.startswith("-")) for name in names]
        return f"""(({" || ".join(parts)}) COLLATE "C")"""


def _part(sort: Sort, *, descending: bool) -> str:
    """A text that compares as the values do. Its last character sorts before (descending: after) everything that could follow."""
    if sort.type == "text":
        text = f"encode(convert_to({sort.expression}, 'UTF8'), 'hex')"
        return f"translate({text}, '{_DIGITS}', '{_OPPOSITES}') || '~'" if descending else f"{text} || ' '"
    text = f"lpad((({sort.expression})::numeric + 9223372036854775808)::text, 20, '0')"
    return f"translate({text}, '0123456789', '9876543210')" if descending else text
