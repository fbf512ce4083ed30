"""60.0 is the whole number 60, as in JSON Schema. If msgspec refuses a body because of it, such numbers are converted and the body is
read again."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

# Beyond it a floating point number may be one of several whole numbers.
_EXACT = 2.0**53
_ABOUT_FRACTION = re.compile(r"Expected `[^`]*\bint\b[^`]*`, got `float`")

Repair = Callable[[Any], Any]


def is_about_fraction(error: Exception) -> bool:
    """Whether msgspec found a floating point number where it wants a whole one."""
    return _ABOUT_FRACTION.match(str(error)) is not None


def with_whole_numbers(model: type[msgspec.Struct], value: Any) -> Any:
    """Converts numbers such as 60.0 where the model has whole numbers. Invalid values stay."""
    repair = _of_model(model)
    return value if repair is None else repair(value)


@cache
def _of_model(model: type[msgspec.Struct]) -> Repair | None:
    return _repair(inspect.type_info(model))


def _repair(kind: inspect.Type) -> Repair | None:
    """How values of a type are put right; None where it has no whole numbers."""
    find = _FIND.get(type(kind))
    return None if find is None else find(kind)


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    return value


def _of_struct(kind: inspect.StructType) -> Repair | None:
    found = {field.encode_name: inner for field in kind.fields if (inner := _repair(field.type)) is not None}

    def repair(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        put_right = {name: found[name](value[name]) for name in found.keys() & value.keys()}
        return value | put_right

    return repair if found else None


def _of_list(kind: inspect.CollectionType) -> Repair | None:
    item, most = _repair(kind.item_type), kind.max_length

    def repair(value: Any) -> Any:
        # What is too long is refused without checking its entries.
        if item is None or not isinstance(value, list) or (most is not None and len(value) > most):
            return value
        return [item(each) for each in value]

    return None if item is None else repair


def _of_map(kind: inspect.DictType) -> Repair | None:
    item, most = _repair(kind.value_type), kind.max_length

    def repair(value: Any) -> Any:
        if item is None or not isinstance(value, dict) or (most is not None and len(value) > most):
            return value
        return {name: item(each) for name, each in value.items()}

    return None if item is None else repair


def _of_union(kind: inspect.UnionType) -> Repair | None:
    parts = [part.type if isinstance(part, inspect.Metadata) else part for part in kind.types]
    fractions = any(isinstance(part, inspect.FloatType) for part in parts)
    found = [
        inner
        for part in parts
        if not (fractions and isinstance(part, inspect.IntType)) and (inner := _repair(part)) is not None
    ]
    if len(found) < 2:
        return found[0] if found else None
    by_tag = {
        part.tag: (part.tag_field, _repair(part)) for part in parts if isinstance(part, inspect.StructType)
    }

    def repair(value: Any) -> Any:
        for tag, (field, repaired) in by_tag.items():
            if isinstance(value, dict) and repaired is not None and value.get(field) == tag:
                return repaired(value)
        return _whole(value) if _whole in found else value

    return repair


_FIND: dict[type[inspect.Type], Callable[[Any], Repair | None]] = {
    inspect.Metadata: lambda kind: _repair(kind.type),
    inspect.IntType: lambda _kind: _whole,
    inspect.StructType: _of_struct,
    inspect.ListType: _of_list,
    inspect.VarTupleType: _of_list,
    inspect.SetType: _of_list,
    inspect.FrozenSetType: _of_list,
    inspect.DictType: _of_map,
    inspect.UnionType: _of_union,
}
