"""What a list can be sorted by: fields of its records, one or several of them, each in either direction.

A field has an index that ends with the identifier, so that a page costs the same at any depth. Several fields are one text that
compares as they do, one after the other. Where no index has that text, the records are read, sorted and cut: only as long as
they are few.
"""

from collections.abc import Mapping, Sequence

import msgspec

from steward.kit.db.page_text import SortBy
from steward.kit.domain.problems import Invalid

# Records that are sorted by several fields without an index.
MOST_SORTED = 10_000

_DIGITS, _OPPOSITES = "0123456789abcdef", "fedcba9876543210"


class Sort(msgspec.Struct, frozen=True):
    """An expression to sort by, which is never NULL and has an index together with the identifier; and its type. `beside` names the
    filters that have an index of their own in this order, and `only_with` the one without which there is no index. Of a `unique`
    one no two records have the same, so that nothing else decides."""

    expression: str
    type: str = "bigint"
    beside: tuple[str, ...] = ()
    only_with: str | None = None
    unique: bool = False


def folded(column: str) -> str:
    """A name as it is sorted and indexed: case and accents make no difference, whatever collations a server has."""
    return f"""(folded_name({column}) COLLATE "C")"""


class Sorts:
    """Those of one list, by the names of the record's fields; `age` is the one that identifiers are in the order of, and `former` are names
    that they had before."""

    def __init__(
        self,
        sorts: Mapping[str, Sort] | None,
        id: str,
        *,
        age: str = "created",
        former: Mapping[str, str] | None = None,
    ) -> None:
        self._age = age
        self.known = {} if sorts is None else {**sorts, age: Sort(id, "text", unique=True)}
        self.former = dict(former or {})
        self.single = {
            f"{sign}{name}": SortBy(sort.expression, sort.type, descending)
            for name, sort in self.known.items()
            for sign, descending in (("", False), ("-", True))
        }

    def order(self, wanted: Sequence[str], filters: Mapping[str, object]) -> tuple[str, SortBy]:
        """What stands for these fields in the cursor, and the order."""
        names = self._deciding([self._present(name) for name in wanted])
        for name in names:
            sort = self.known.get(name.removeprefix("-"))
            if name not in self.single or sort is None or sort.only_with not in (None, *filters):
                known = ", ".join(self.known)
                raise Invalid("sort", f"must be one of {known}, with - in front for descending")
        if len(names) == 1:
            return names[0], self.single[names[0]]
        return ",".join(names), SortBy(self._combined(names), "text", descending=False, by_index=False)

    def _present(self, name: str) -> str:
        bare = name.removeprefix("-")
        return name.removesuffix(bare) + self.former.get(bare, bare) if bare else name

    def _deciding(self, names: list[str]) -> list[str]:
        """Without those that never decide: behind one that nobody shares, or for the second time; nor the last one, where it is the
        order of equals anyway."""
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
    """A text that compares as the values do. It ends with a character that sorts before (descending: behind) all that could follow."""
    if sort.type == "text":
        text = f"encode(convert_to({sort.expression}, 'UTF8'), 'hex')"
        return f"translate({text}, '{_DIGITS}', '{_OPPOSITES}') || '~'" if descending else f"{text} || ' '"
    text = f"lpad((({sort.expression})::numeric + 9223372036854775808)::text, 20, '0')"
    return f"translate({text}, '0123456789', '9876543210')" if descending else text
