"""PATCH: a field that is absent stays, `null` clears it."""

from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from steward.kit.domain.problems import Invalid

R = TypeVar("R", bound=msgspec.Struct)
P = TypeVar("P", bound=msgspec.Struct)

# What is never null is empty instead.
_EMPTY: dict[str, Any] = {"metadata": {}}


def given(patch: msgspec.Struct) -> dict[str, Any]:
    """The fields that the caller sent; a list that is cleared is an empty one."""
    lists = _lists(type(patch))
    return {
        field: _EMPTY.get(field, [] if field in lists else None) if value is None else value
        for field in patch.__struct_fields__
        if (value := getattr(patch, field)) is not msgspec.UNSET
    }


def named_fields(body: msgspec.Struct) -> set[str]:
    """The fields whose value is not the default, which is what a caller gets who leaves them out."""
    defaults = {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(body)
    }
    return {name for name, default in defaults.items() if getattr(body, name) != default}


def differing(patch: type[P], old: msgspec.Struct, new: msgspec.Struct) -> P:
    """What makes of a record what `new` would have made instead; empty where it is that already.

    422 where `new` asks for something that stays as it was made.
    """
    changeable, changes = patch.__struct_fields__, {}
    for field, name in zip(new.__struct_fields__, new.__struct_encode_fields__, strict=True):
        wanted, was = getattr(new, field), getattr(old, field, None)
        if wanted == was:
            continue
        if field in changeable:
            changes[field] = wanted
        elif wanted is not None and hasattr(old, field):
            raise Invalid(name, "can't be changed once it is there")
    return patch(**changes)


@cache
def _lists(model: type[msgspec.Struct]) -> frozenset[str]:
    info = inspect.type_info(model)
    assert isinstance(info, inspect.StructType)  # noqa: S101 (what else would describe a Struct)
    return frozenset(field.name for field in info.fields if _is_list(field.type))


def _is_list(kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.Metadata):
        return _is_list(kind.type)
    if isinstance(kind, inspect.UnionType):
        return any(_is_list(part) for part in kind.types)
    return isinstance(kind, inspect.ListType)


def apply(record: R, patch: msgspec.Struct) -> R:
    return msgspec.structs.replace(record, **given(patch))
