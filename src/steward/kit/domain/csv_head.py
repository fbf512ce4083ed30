"""The head of a CSV file: which cell goes into which field of a record, or into a part of one."""

import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

import msgspec

from steward.kit.domain.problems import ErrorDetail, Invalid

MAX_COLUMNS = 200
_WHOLE = re.compile(r"-?[0-9]{1,18}")


class CsvHead:
    """Maps cells to fields, or to parts of one. Columns that only the server sets are ignored."""

    def __init__(self, names: list[str], model: type[msgspec.Struct], shown: Collection[str]) -> None:
        _check_head(names, model, shown)
        self.width = len(names)
        self.places = {name: place for place, name in enumerate(names)}
        self._known = frozenset(model.__struct_encode_fields__)
        self._whole = [(place, name) for place, name in enumerate(names) if name in self._known]
        self._special = [(name, kind) for name, kind in _special_types(model).items() if name in self.places]
        self._parts: dict[str, list[tuple[int, str]]] = {}
        for place, name in enumerate(names):
            outer, dot, inner = name.partition(".")
            if dot:
                self._parts.setdefault(outer, []).append((place, inner))

    def fields(
        self, cells: list[str], old: Mapping[str, Any] | None
    ) -> tuple[list[ErrorDetail], dict[str, Any]]:
        fields: dict[str, Any] = {name: cells[place] for place, name in self._whole if cells[place]}
        for outer, parts in self._parts.items():
            if given := {inner: cells[place] for place, inner in parts if cells[place]}:
                fields[outer] = given
        faults: list[ErrorDetail] = []
        for name, kind in self._special:
            if name in fields:
                fields[name] = _value(kind, name, fields[name], faults)
        return faults, fields if old is None else self._merged(fields, old)

    def _merged(self, given: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
        """The given fields, and the old ones that a file with this head doesn't change."""
        fields = {name: value for name, value in old.items() if name in self._known}
        for _, name in self._whole:
            if name not in given and old.get(name) not in _EMPTY:
                fields.pop(name)
        for outer, parts in self._parts.items():
            before, cells = dict(old.get(outer) or {}), given.pop(outer, {})
            named = {inner for _, inner in parts}
            whole = {inner: value for inner, value in before.items() if inner not in named}
            whole |= {inner: _part(before.get(inner), cell) for inner, cell in cells.items()}
            if whole:
                fields[outer] = whole
            elif old.get(outer) not in _EMPTY:
                fields.pop(outer)
        return fields | given


# Values that an exported file shows as an empty cell.
_EMPTY: tuple[Any, ...] = (None, "", {}, [])


def _part(old: Any, cell: str) -> Any:
    """A part that isn't a text keeps its value if its text is the same."""
    return old if not isinstance(old, str) and msgspec.json.encode(old).decode() == cell else cell


def _value(kind: type, name: str, cell: str, faults: list[ErrorDetail]) -> Any:
    if kind is int:
        if _WHOLE.fullmatch(cell):
            return int(cell)
        faults.append(ErrorDetail(name, "must be a whole number"))
    else:
        try:
            return msgspec.json.decode(cell)
        except (msgspec.DecodeError, RecursionError):
            faults.append(ErrorDetail(name, 'must be a JSON object, such as {"a": 1}'))
    return cell


@cache
def _special_types(model: type[msgspec.Struct]) -> dict[str, type]:
    """Fields of whole numbers, where msgspec alone would also accept 1.0, and fields of objects."""
    return {
        field.encode_name: plain
        for field in msgspec.inspect.type_info(model).fields  # type: ignore[attr-defined]
        for kind, plain in ((msgspec.inspect.IntType, int), (msgspec.inspect.DictType, dict))
        if _is_a(kind, field.type)
    }


def _is_a(wanted: type[msgspec.inspect.Type], kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.Metadata):
        return _is_a(wanted, kind.type)
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(_is_a(wanted, part) for part in kind.types)
    return isinstance(kind, wanted)


def _check_head(head: list[str], model: type[msgspec.Struct], shown: Collection[str]) -> None:
    if len(head) > MAX_COLUMNS:
        raise Invalid("", f"The file has more than {MAX_COLUMNS} columns.")
    known = set(model.__struct_encode_fields__)
    if unknown := [name for name in head if name not in shown and name.partition(".")[0] not in known]:
        not_taken: Mapping[str, str] = getattr(model, "not_taken", {})
        raise Invalid(unknown[0], not_taken.get(unknown[0], "is not a column that this takes"))
    named = set(head)
    if len(named) != len(head):
        raise Invalid("", "A column is named twice.")
    if both := [name for name in head if "." in name and name.partition(".")[0] in named]:
        raise Invalid(both[0], "is a part of another column")
    if named & {"id", "externalId"}:
        return  # a row may change a record that has the missing fields
    missing = [
        field.encode_name
        for field in msgspec.structs.fields(model)
        if field.required and field.encode_name not in named
    ]
    if missing:
        raise Invalid(missing[0], "is a column that must be there")
