"""PATCH: a field that is absent stays, `null` clears it."""

from typing import Any, TypeVar

import msgspec

from steward.kit.domain.fields import Body
from steward.kit.domain.problems import Invalid

R = TypeVar("R", bound=msgspec.Struct)
P = TypeVar("P", bound=msgspec.Struct)


def given(patch: Body) -> dict[str, Any]:
    """The fields that the caller sent; one that null takes back to its default is that."""
    reset = type(patch).reset
    return {
        field: reset[field]() if value is None and field in reset else value
        for field in patch.__struct_fields__
        if (value := getattr(patch, field)) is not msgspec.UNSET
    }


def named_fields(body: msgspec.Struct) -> set[str]:
    """The fields whose value isn't the default of an absent field."""
    defaults = {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(body)
    }
    return {name for name, default in defaults.items() if getattr(body, name) != default}


def differing(patch: type[P], old: msgspec.Struct, new: msgspec.Struct) -> P:
    """The changes that turn a record into the one that `new` would have made; empty if it is the same.

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


def apply(record: R, patch: Body) -> R:
    return msgspec.structs.replace(record, **given(patch))
