"""The conditions of a page's statement, with the places of their values."""

import itertools
from collections.abc import Iterable

import msgspec


class Bound(msgspec.Struct, frozen=True):
    """What an index over an expression finds: a condition with one `{}` at most, in the place of the filter's value of this number."""

    expression: str
    condition: str
    value: int = 0


class RowCondition(msgspec.Struct, frozen=True):
    """What a filter asks for, with `{}` in the place of each value, as it is held against a row; and how an index finds such rows:
    those with a `column` equal to the value, those within a `bound`, those of a `part` of the table that has an index of its own,
    those with some `words`.

    One with `several` values takes them as an array where it is held against rows, and where it leads, as so many `places`.
    """

    text: str
    column: str | None = None
    bound: Bound | None = None
    part: bool = False
    words: str | None = None
    several: bool = False
    places: int = 0


class PlacedConditions:
    """`leading` are those whose index is walked along, or lists candidates; `held` those that are held against each row."""

    def __init__(
        self,
        leading: Iterable[RowCondition],
        bounds: Iterable[RowCondition],
        held: Iterable[RowCondition],
        first_place: int,
        *,
        candidates: bool,
    ) -> None:
        self._places = itertools.count(first_place)
        # The values of each walk where a leading condition has several, by the name that stands for the value.
        self.combinations: list[dict[str, str]] = [{}]
        self.several: list[str] = []
        # For candidates: what lists several values.
        self.each: str | None = None
        self.driving_order: str | None = None
        self.by_words = False
        self._also_held: list[str] = []
        self.driving = tuple([self._lead(condition, candidates=candidates) for condition in leading])
        self.bounds = tuple([self._filled(condition.text, self._take(condition)) for condition in bounds])
        filled = [self._filled(condition.text, self._take(condition)) for condition in held]
        self.held = " AND ".join([*self._also_held, *filled])
        self.next_place = next(self._places)

    @property
    def walks(self) -> int:
        return len(self.combinations)

    def _take(self, condition: RowCondition) -> list[str]:
        return [f"${next(self._places)}" for _ in range(condition.text.count("{}"))]

    def _filled(self, text: str, values: list[str]) -> str:
        for value in values:
            text = text.replace("{}", value, 1)
        return text

    def _lead(self, condition: RowCondition, *, candidates: bool) -> str:
        if condition.words is not None:
            self.by_words = True
            found = f"${next(self._places)}"
            self._also_held.append(self._filled(condition.text, self._take(condition)))
            return condition.words.replace("{}", found)
        if condition.column is not None:
            return self._equal(condition, condition.column, candidates=candidates)
        values = self._take(condition)
        if condition.bound is None:
            return self._filled(condition.text, values)
        self.driving_order = condition.bound.expression
        self._also_held.append(self._filled(condition.text, values))
        return condition.bound.condition.replace("{}", values[condition.bound.value] if values else "")

    def _equal(self, condition: RowCondition, column: str, *, candidates: bool) -> str:
        if not condition.several:
            return equal_by_index(column, value := f"${next(self._places)}", f"(SELECT {value})")
        if candidates:
            self.each = f"unnest(${next(self._places)}::text[]) AS one (value)"
            return equal_by_index(column, "one.value", "one.value")
        name = f"one{len(self.several)}"
        values = [f"${next(self._places)}::text" for _ in range(condition.places)]
        self.several.append(f"(VALUES {', '.join(f'({value})' for value in values)}) AS {name} (value)")
        self.combinations = [
            {**walk, f"{name}.value": value, f"{name}.hidden": f"(SELECT {value})"}
            for walk in self.combinations
            for value in values
        ]
        return equal_by_index(column, f"{name}.value", f"{name}.hidden")


def equal_by_index(column: str, value: str, hidden: str) -> str:
    """The column is equal to the value. Said twice more, in a way of which the planner believes that it leaves little: so it takes the
    index that begins with this column, also where it has seen but one value in the whole table and thinks that any index will do."""
    return f"{column} = {value} AND {column} >= {hidden} AND {column} <= {hidden}"
