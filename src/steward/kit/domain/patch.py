"""PATCH: a field that is absent stays, `null` clears it."""

from typing import Any, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)


def given(patch: msgspec.Struct) -> dict[str, Any]:
    """The fields that the caller sent."""
    return {
        field: value
        for field in patch.__struct_fields__
        if (value := getattr(patch, field)) is not msgspec.UNSET
    }


def apply(record: R, patch: msgspec.Struct) -> R:
    return msgspec.structs.replace(record, **given(patch))
