"""How values of a type look in JSON, in words and as a test."""

import re
from types import NoneType
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

# As people write one; msgspec alone would also read 1e1 and 1.0 from a text.
WHOLE = re.compile(r"-?\d{1,18}")


class JsonType(NamedTuple):
    """What a value of a type is in JSON; `read_as` is what a text becomes if it needn't be strict."""

    words: str
    plain: tuple[type, ...]
    read_as: Any = None


_OBJECT = JsonType("an object", (dict,))
_LIST = JsonType("a list", (list,))
JSON_TYPES: dict[type[inspect.Type], JsonType] = {
    inspect.BoolType: JsonType("true or false", (bool,), bool),
    inspect.IntType: JsonType("a whole number", (int,), int),
    inspect.FloatType: JsonType("a number", (int, float), float),
    inspect.StrType: JsonType("a text", (str,)),
    inspect.StructType: _OBJECT,
    inspect.DictType: _OBJECT,
    inspect.ListType: _LIST,
    inspect.VarTupleType: _LIST,
    inspect.SetType: _LIST,
    inspect.FrozenSetType: _LIST,
    inspect.NoneType: JsonType("null", (NoneType,), None),
}


def fits(kind: inspect.Type, value: Any, *, strict: bool) -> bool:
    """Whether a value is of the right JSON type, without what is within it."""
    if values := values_of(kind):
        return value in values
    found = JSON_TYPES.get(type(kind))
    if found is None:
        return True
    if isinstance(value, str) and str not in found.plain:
        return not strict and _reads_as(found.read_as, value)
    if isinstance(value, float) and int in found.plain:
        return float in found.plain or value.is_integer()
    return isinstance(value, found.plain) and (not isinstance(value, bool) or bool in found.plain)


def _reads_as(kind: Any, text: str) -> bool:
    if kind is int:
        return WHOLE.fullmatch(text) is not None
    try:
        msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def values_of(kind: inspect.Type) -> list[Any]:
    if isinstance(kind, inspect.EnumType):
        return [member.value for member in kind.cls]
    return list(kind.values) if isinstance(kind, inspect.LiteralType) else []
