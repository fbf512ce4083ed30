"""How the columns of a row become the fields of a record, and what hidden fields show."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from steward.kit.db.sql import Row

R = TypeVar("R", bound=msgspec.Struct)
Loader = Callable[[Any], Any]


def defaults_besides(record: type[msgspec.Struct], shown: tuple[str, ...]) -> dict[str, Any]:
    return defaults(record, {name for name in record.__struct_fields__ if name not in shown})


def defaults(record: type[msgspec.Struct], names: set[str]) -> dict[str, Any]:
    """The default values of these fields."""
    hidden = [field for field in msgspec.structs.fields(record) if field.name in names]
    assert not any(field.required for field in hidden), "hidden fields need a default"  # noqa: S101
    made = {f.name: f.default_factory() for f in hidden if f.default_factory is not msgspec.NODEFAULT}
    return {field.name: made.get(field.name, field.default) for field in hidden}


def loaders(record: type[msgspec.Struct]) -> Iterable[tuple[int, Loader]]:
    """By position, what makes a field's value of a column's, unless the driver's value is already right."""
    for index, field in enumerate(msgspec.structs.fields(record)):
        info = msgspec.inspect.type_info(field.type)
        kinds = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
        kind = next((k for k in kinds if not isinstance(k, msgspec.inspect.NoneType)), None)
        while isinstance(kind, msgspec.inspect.Metadata):
            kind = kind.type
        if isinstance(kind, msgspec.inspect.EnumType) and issubclass(kind.cls, StrEnum):
            yield index, kind.cls
        elif isinstance(kind, msgspec.inspect.StructType | msgspec.inspect.ListType):
            yield index, _converter(field.type)


def record_of(record: type[R], loaders: Iterable[tuple[int, Loader]]) -> Callable[[Row], R]:
    """Makes a record of a row with its fields in their order."""
    names, loaded = record.__struct_fields__, tuple(loaders)
    if not loaded and record.__match_args__ == names:
        return lambda row: record(*row)

    def made(row: Row) -> R:
        values = list(row)
        for index, loader in loaded:
            if values[index] is not None:
                values[index] = loader(values[index])
        return record(**dict(zip(names, values, strict=True)))

    return made


def _converter(wanted: Any) -> Loader:
    return lambda value: msgspec.convert(value, wanted)
