"""Finds the entries of a list or map that msgspec refuses, without Python code for each valid entry."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from types import GenericAlias
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta, inspect

_PLACE = " - at `$.entries["
# By the identity of an entry's type. The types are those of our models, and live as long.
_HOLDERS: dict[int, tuple[inspect.Type, type[msgspec.Struct]]] = {}


def refused_places(kind: inspect.Type, entries: Collection[Any], *, strict: bool, most: int) -> list[int]:
    """The positions of the first ones."""
    return list(islice(_places(_holder(kind), list(entries), strict=strict), most))


def _places(holder: type[msgspec.Struct], entries: Sequence[Any], *, strict: bool) -> Iterator[int]:
    start = 0
    while (place := _first_place(holder, entries[start:], strict=strict)) is not None:
        yield start + place
        start += place + 1


def _first_place(holder: type[msgspec.Struct], entries: Sequence[Any], *, strict: bool) -> int | None:
    try:
        msgspec.convert({"entries": entries}, holder, strict=strict)
    except msgspec.ValidationError as error:
        # The last one, since the caller's own text may be before it.
        return int(str(error).rpartition(_PLACE)[2].partition("]")[0])
    except UnicodeEncodeError:
        # A lone surrogate; msgspec doesn't give its place.
        alone = (_first_place(holder, [entry], strict=strict) for entry in entries)
        return (
            next(place for place, refused in enumerate(alone) if refused is not None)
            if len(entries) > 1
            else 0
        )
    return None


def _holder(kind: inspect.Type) -> type[msgspec.Struct]:
    """A Struct of entries, any number of them: of all types, msgspec remembers only Structs."""
    if (known := _HOLDERS.get(id(kind))) is None:
        entries = GenericAlias(list, _annotation(kind))
        known = _HOLDERS[id(kind)] = (kind, msgspec.defstruct("Referrer", [("entries", entries)]))
    return known[1]


def _annotation(kind: inspect.Type) -> Any:
    """The type that msgspec has taken apart, put together again; what isn't JSON may be anything."""
    assemble = _ASSEMBLE.get(type(kind))
    return Any if assemble is None else assemble(kind)


def _list(kind: inspect.CollectionType) -> Any:
    items = GenericAlias(list, _annotation(kind.item_type))
    return Annotated[items, Meta(min_length=kind.min_length, max_length=kind.max_length)]


def _dict(kind: inspect.DictType) -> Any:
    pairs = GenericAlias(dict, (_annotation(kind.key_type), _annotation(kind.value_type)))
    return Annotated[pairs, Meta(min_length=kind.min_length, max_length=kind.max_length)]


def _text(kind: inspect.StrType) -> Any:
    meta = Meta(pattern=kind.pattern, min_length=kind.min_length, max_length=kind.max_length)
    return Annotated[str, meta]


def _number(kind: inspect.IntType | inspect.FloatType) -> Any:
    plain = int if isinstance(kind, inspect.IntType) else float
    bounds: dict[str, Any] = {"gt": kind.gt, "ge": kind.ge, "lt": kind.lt, "le": kind.le}
    return Annotated[plain, Meta(**bounds)]


def _union(kind: inspect.UnionType) -> Any:
    return Union[tuple(_annotation(each) for each in kind.types)]  # noqa: UP007 (as many as there are)


_ASSEMBLE: dict[type[inspect.Type], Callable[[Any], Any]] = {
    inspect.Metadata: lambda kind: _annotation(kind.type),
    inspect.StructType: attrgetter("cls"),
    inspect.EnumType: attrgetter("cls"),
    inspect.LiteralType: lambda kind: Literal[tuple(kind.values)],
    inspect.UnionType: _union,
    inspect.ListType: _list,
    inspect.VarTupleType: _list,
    inspect.SetType: _list,
    inspect.FrozenSetType: _list,
    inspect.DictType: _dict,
    inspect.StrType: _text,
    inspect.IntType: _number,
    inspect.FloatType: _number,
    inspect.BoolType: lambda _kind: bool,
    inspect.NoneType: lambda _kind: None,
}
