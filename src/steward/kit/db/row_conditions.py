"""The conditions of a page's statement, with the places of their values."""

import itertools
from collections.abc import Iterable

import msgspec


class Bound(msgspec.Struct, frozen=True):
    """What an index over an expression finds: where it is less or more than the filter's value of this number; or where it is NULL.
    `compared` is what it is compared with, where not with the value as it is."""

    expression: str
    sign: str
    value: int = 0
    compared: str = "{}"

    def condition(self, values: list[str]) -> str:
        if self.sign == "IS NULL":
            return f"{self.expression} IS NULL"
        return f"{self.expression} {self.sign} {self.compared.format(values[self.value])}"


class RowCondition(msgspec.Struct, frozen=True):
    """What a filter asks for, with `{}` in the place of each value, as it is held against a row; and how an index finds such rows:
    those with a `column` equal to the value, those within a `bound`, those with some `words`; or those of a part of the table that has
    an index of its own.

    One with `several` values takes them as an array where it is held against rows, and where it leads, as so many `places`.
    """

    text: str
    column: str | None = None
    bound: Bound | None = None
    words: str | None = None
    several: bool = False
    places: int = 0
    type: str = "text"


class PlacedConditions:
    """`leading` are those whose index is walked along, or lists candidates; `held` those that are held against each row."""

    def __init__(
        self,
        leading: Iterable[RowCondition],
        inside: Iterable[RowCondition],
        held: Iterable[RowCondition],
        first_place: int,
        *,
        candidates: bool,
    ) -> None:
        self._places = itertools.count(first_place)
        # Those that have to be equal, and to what.
        self.columns: list[str] = []
        self.values: list[str] = []
        # The values of each walk where a leading condition has several, by the name that stands for the value.
        self.combinations: list[dict[str, str]] = [{}]
        self.several: list[str] = []
        # For candidates: what lists several values, and what the index has them in the order of.
        self.each: str | None = None
        self.bound: str | None = None
        self.by_words = False
        # What else leads.
        self.driving: list[str] = []
        also_held: list[str] = []
        for condition in leading:
            self._lead(condition, also_held, candidates=candidates)
        # Expression, sign and value of those that say where in the order to begin or to end.
        self.ends = [self._end(condition) for condition in inside]
        self.held = [*also_held, *[self._filled(condition) for condition in held]]
        self.next_place = next(self._places)

    def _place(self) -> str:
        return f"${next(self._places)}"

    def _filled(self, condition: RowCondition) -> str:
        text = condition.text
        while "{}" in text:
            text = text.replace("{}", self._place(), 1)
        return text

    def _lead(self, condition: RowCondition, also_held: list[str], *, candidates: bool) -> None:
        if condition.words is not None:
            self.by_words = True
            self.driving.append(condition.words.replace("{}", self._place()))
            also_held.append(self._filled(condition))
        elif condition.column is not None:
            self.columns.append(condition.column)
            self.values.append(self._equal(condition, candidates=candidates))
        elif condition.bound is not None:
            values = [self._place() for _ in range(condition.text.count("{}"))]
            self.bound = condition.bound.expression
            self.driving.append(condition.bound.condition(values))
            also_held.append(condition.text.format(*values))
        else:
            self.driving.append(self._filled(condition))

    def _end(self, condition: RowCondition) -> tuple[str, str, str]:
        assert condition.bound is not None  # noqa: S101 (nothing else does)
        return condition.bound.expression, condition.bound.sign, self._place()

    def _equal(self, condition: RowCondition, *, candidates: bool) -> str:
        """What stands for the value. It is hidden from the planner, so that the plan is the same whatever it is."""
        if not condition.several:
            return f"(SELECT {self._place()}::{condition.type})"
        if candidates:
            self.each = f"unnest({self._place()}::text[]) AS one (value)"
            return "one.value"
        name = f"one{len(self.several)}.value"
        values = [f"{self._place()}::text" for _ in range(condition.places)]
        listed = ", ".join(f"({value})" for value in values)
        self.several.append(f"(VALUES {listed}) AS one{len(self.several)} (value)")
        self.combinations = [
            {**walk, name: f"(SELECT {value})"} for walk in self.combinations for value in values
        ]
        return name
