"""Struct fields that are declared once: changes follow from the body that creates a record, the record and its example from both."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType, inspect
from msgspec.structs import FieldInfo, fields

from steward.kit.domain.fields import Body
from steward.kit.domain.ids import new_id

R = TypeVar("R", bound=msgspec.Struct)
B = TypeVar("B", bound=Body)


def changes_of(
    new: type[msgspec.Struct], *, without: str = "", resets: str = ""
) -> Callable[[type[B]], type[B]]:
    """Gives a Struct the fields of `new` for a PATCH, each of which may be absent.

    Null clears what may be null in a new record. It takes lists, objects and the fields in `resets` back to their default.
    The decorated class declares the fields that only a change has, those that mean something else in a change, and those
    that code reads by name.
    """

    def with_shared(changes: type[B]) -> type[B]:
        offered = [field for field in fields(new) if field.name not in without.split()]
        back = {field.name: _default(field) for field in offered if _is_reset(field, resets.split())}
        shared = {field.name: _optional(field, nullable=field.name in back) for field in offered}
        own = {field.name: _definition(field) for field in fields(changes)}
        return _redefined(changes, {**shared, **own}, reset=back)

    return with_shared


def same_fields(body: type[msgspec.Struct], *, without: str = "") -> Callable[[type[B]], type[B]]:
    """Gives a Struct the fields of `body` and its own."""

    def with_same(other: type[B]) -> type[B]:
        wanted = [field for field in fields(body) if field.name not in without.split()]
        return _redefined(other, {field.name: _definition(field) for field in [*wanted, *fields(other)]})

    return with_same


@cache
def common_fields(first: type[msgspec.Struct], second: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields that both have, in the order of the first."""
    return tuple(name for name in first.__struct_fields__ if name in second.__struct_fields__)


def made_from(record: type[R], new: msgspec.Struct, **own: Any) -> R:
    """A record with the values of `new` under the same names, and `own`. Other fields are null, if they may be."""
    values = {name: getattr(new, name) for name in common_fields(type(new), record)}
    return record(**{**_nulls(record), **values, **own})


def new_record(record: type[R], prefix: str, new: msgspec.Struct, now: int, **own: Any) -> R:
    """The same for a record that begins now; `prefix` is that of its identifier."""
    begun: dict[str, Any] = {"id": new_id(prefix), "created": now}
    if "updated" in record.__struct_fields__:
        begun["updated"] = now
    return made_from(record, new, **{**begun, **own})


def example_of(record: type[R], **own: Any) -> R:
    """A record for the documents. Other fields have their default, null, or the example of their type."""
    unsaid = [field for field in fields(record) if field.required and field.name not in own]
    return record(**{**{field.name: _example(field) for field in unsaid}, **own})


@cache
def _nulls(record: type[msgspec.Struct]) -> dict[str, None]:
    return {field.name: None for field in fields(record) if field.required and is_nullable(field.type)}


def _example(field: FieldInfo) -> Any:
    info = inspect.type_info(field.type)
    if is_nullable(info):
        return None
    examples = (info.extra_json_schema or {}).get("examples") if isinstance(info, inspect.Metadata) else None
    if not examples:
        raise TypeError(f"{field.name} has no example; give one")
    return examples[0]


_Definition = tuple[str, Any, Any]


def _definition(field: FieldInfo) -> _Definition:
    settings: dict[str, Any] = {"default": field.default, "default_factory": field.default_factory}
    return field.name, field.type, msgspec.field(name=field.encode_name, **settings)


def _optional(field: FieldInfo, *, nullable: bool) -> _Definition:
    return field.name, field.type | UnsetType | (None if nullable else UnsetType), UNSET


def _is_reset(field: FieldInfo, named: Sequence[str]) -> bool:
    """Whether null takes the field back to its default."""
    kinds = kinds_of(field.type)
    has_parts = any(isinstance(kind, inspect.ListType | inspect.DictType) for kind in kinds)
    return field.name in named or (has_parts and not field.required and not is_nullable(field.type))


def _default(field: FieldInfo) -> Callable[[], Any]:
    if field.default_factory is not NODEFAULT:
        return cast(Callable[[], Any], field.default_factory)
    return lambda: field.default


def _redefined(struct: type[B], definitions: dict[str, _Definition], **namespace: Any) -> type[B]:
    """The same class with these fields, in this order."""
    machinery = {name for name in vars(struct) if name.startswith("__")} | set(struct.__struct_fields__)
    kept = {name: value for name, value in vars(struct).items() if name not in machinery}
    made = msgspec.defstruct(
        struct.__name__,
        definitions.values(),
        bases=struct.__bases__,
        namespace={**kept, **namespace, "__doc__": struct.__doc__},
        module=struct.__module__,
        frozen=True,
        kw_only=True,
    )
    return cast(type[B], made)


def kinds_of(annotation: Any) -> list[inspect.Type]:
    """The parts of a union, without the limits on their values."""
    info = annotation if isinstance(annotation, inspect.Type) else inspect.type_info(annotation)
    while isinstance(info, inspect.Metadata):
        info = info.type
    if isinstance(info, inspect.UnionType):
        return [kind for part in info.types for kind in kinds_of(part)]
    return [info]


def is_nullable(annotation: Any) -> bool:
    return any(isinstance(kind, inspect.NoneType) for kind in kinds_of(annotation))
