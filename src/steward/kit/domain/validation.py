"""Describes all errors of an invalid value, each with its path, in words for people.

msgspec stops at the first error and describes it by types. It validates first, since nearly every value is valid; what it refuses is checked
here against the same types.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from steward.kit.domain.fields import MUST
from steward.kit.domain.json_types import JSON_TYPES, fits, values_of
from steward.kit.domain.problems import MAX_FAULTS, ErrorDetail, Invalid
from steward.kit.domain.ranges import reversed_ranges
from steward.kit.domain.refused_entries import refused_places

_LENGTH_OF_A_LIST = ("entry", "entries")
_LENGTH_OF_A_TEXT = ("character", "characters")
_NOT_TAKEN = "is not a value that this takes"
_PLACE = re.compile(r" - at `\$\.?([^`]*)`")


def invalid(
    model: type[msgspec.Struct],
    value: Any,
    error: Exception,
    *,
    noun: str = "field",
    strict: bool = True,
    most: int = MAX_FAULTS,
) -> Invalid:
    """The errors of a value that msgspec refused. Unless it is `strict`, numbers may be text, as in a query."""
    check = _Check(noun, strict=strict, most=most)
    check.value(_type_info(model), value, "")
    if isinstance(value, dict):
        check.add(reversed_ranges(model, value))
    # If these checks find nothing, the answer has msgspec's place but not its words.
    return Invalid.of(check.faults or [ErrorDetail(_place(error), _NOT_TAKEN)])


def _place(error: Exception) -> str:
    found = _PLACE.search(str(error))
    return found[1] if found else ""


@cache
def _type_info(model: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(model)


class _Check:
    def __init__(self, noun: str, *, strict: bool, most: int) -> None:
        self.faults: list[ErrorDetail] = []
        self._most = most
        self._noun = noun
        self._strict = strict

    def value(self, kind: inspect.Type, value: Any, path: str) -> None:
        must, kind = _unwrapped(kind)
        if isinstance(kind, inspect.UnionType):
            self._union(kind, value, path, must)
        elif not fits(kind, value, strict=self._strict):
            self._fault(path, f"must {must}" if must else self._expectation([kind], value))
        elif isinstance(kind, inspect.StructType):
            self._struct(kind, value, path)
        elif isinstance(kind, inspect.DictType):
            self._mapping(kind, value, path)
        elif isinstance(kind, inspect.CollectionType):
            self._collection(kind, value, path)
        elif isinstance(kind, inspect.StrType):
            self._text(kind, value, path, must)
        elif isinstance(kind, inspect.IntType | inspect.FloatType):
            self._number(kind, float(value) if isinstance(value, str) else value, path)

    def add(self, more: Iterable[ErrorDetail]) -> None:
        """Errors of valid fields that don't fit together."""
        known = {fault.field for fault in self.faults}
        for fault in more:
            if fault.field not in known:
                self._fault(fault.field, fault.message)

    @property
    def _is_full(self) -> bool:
        return self._room <= 0

    @property
    def _room(self) -> int:
        """How many more errors the answer may have."""
        return max(0, self._most - len(self.faults))

    def _fault(self, path: str, message: str) -> None:
        # A lone surrogate can be decoded but not encoded.
        fault = ErrorDetail(path.encode(errors="replace").decode(), message)
        if not self._is_full and fault not in self.faults:
            self.faults.append(fault)

    def _expectation(self, kinds: list[inspect.Type], value: Any) -> str:
        may_be_null = any(isinstance(kind, inspect.NoneType) for kind in kinds)
        if value is None and not may_be_null:
            return "must not be null"
        # A query has no null.
        kinds = [kind for kind in kinds if self._strict or not isinstance(kind, inspect.NoneType)]
        if values := [value for kind in kinds for value in values_of(kind)]:
            return _one_of([*values, "null"] if may_be_null and self._strict else values)
        words = dict.fromkeys(JSON_TYPES[type(kind)].words for kind in kinds if type(kind) in JSON_TYPES)
        return f"must be {' or '.join(words)}" if words else _NOT_TAKEN

    def _union(self, kind: inspect.UnionType, value: Any, path: str, must: str | None) -> None:
        kinds = [_unwrapped(each) for each in kind.types]
        for (_, plain), each in zip(kinds, kind.types, strict=True):
            if fits(plain, value, strict=self._strict) and not isinstance(plain, inspect.StructType):
                self.value(each, value, path)
                return
        structs = [plain for _, plain in kinds if isinstance(plain, inspect.StructType)]
        if structs and isinstance(value, dict):
            self._one_of(structs, value, path)
        else:
            self._fault(
                path, f"must {must}" if must else self._expectation([plain for _, plain in kinds], value)
            )

    def _one_of(self, structs: list[inspect.StructType], value: dict[str, Any], path: str) -> None:
        """Objects of several kinds have a field with their kind."""
        field = structs[0].tag_field
        by_tag = {each.tag: each for each in structs}
        if field is None:
            self._struct(structs[0], value, path)
        elif field not in value:
            self._fault(_inside(path, field), "is required")
        elif isinstance(value[field], str) and value[field] in by_tag:
            self._struct(by_tag[value[field]], value, path)
        else:
            self._fault(_inside(path, field), _one_of(by_tag))

    def _struct(self, kind: inspect.StructType, value: dict[str, Any], path: str) -> None:
        known = {field.encode_name: field for field in kind.fields}
        not_taken: Mapping[str, str] = getattr(kind.cls, "not_taken", {})
        if kind.forbid_unknown_fields:
            for name in value:
                if self._is_full:
                    return
                if name not in known and name != kind.tag_field:
                    self._fault(
                        _inside(path, name), not_taken.get(name, f"is not a {self._noun} that this takes")
                    )
        for name, field in known.items():
            if self._is_full:
                return
            if name in value:
                self.value(field.type, value[name], _inside(path, name))
            elif field.required:
                self._fault(_inside(path, name), "is required")

    def _mapping(self, kind: inspect.DictType, value: dict[str, Any], path: str) -> None:
        # What is too long isn't checked further, so that the time is bounded.
        if self._length(kind.min_length, kind.max_length, len(value), path, _LENGTH_OF_A_LIST):
            return
        keys = refused_places(kind.key_type, value, strict=True, most=self._room)
        values = refused_places(kind.value_type, value.values(), strict=self._strict, most=self._room)
        pairs = list(value.items())
        for place in sorted({*keys, *values}):
            if self._is_full:
                return
            name, each = pairs[place]
            self.value(kind.key_type, name, _inside(path, name))
            self.value(kind.value_type, each, _inside(path, name))

    def _collection(self, kind: inspect.CollectionType, value: list[Any], path: str) -> None:
        if self._length(kind.min_length, kind.max_length, len(value), path, _LENGTH_OF_A_LIST):
            return
        for place in refused_places(kind.item_type, value, strict=self._strict, most=self._room):
            if self._is_full:
                return
            # The values of a query parameter have no index.
            self.value(kind.item_type, value[place], f"{path}[{place}]" if self._strict else path)

    def _text(self, kind: inspect.StrType, value: str, path: str, must: str | None) -> None:
        if self._length(kind.min_length, kind.max_length, len(value), path, _LENGTH_OF_A_TEXT):
            return
        if kind.pattern is not None and not re.search(kind.pattern, value):
            self._fault(path, f"must {must or 'not be blank'}")

    def _length(
        self, least: int | None, most: int | None, length: int, path: str, words: tuple[str, str]
    ) -> bool:
        """Whether it is invalid."""
        if least is not None and length < least:
            self._fault(
                path, "must not be empty" if least == 1 else f"must have at least {_count(least, words)}"
            )
        elif most is not None and length > most:
            self._fault(path, f"must have at most {_count(most, words)}")
        else:
            return False
        return True

    def _number(self, kind: inspect.IntType | inspect.FloatType, value: float, path: str) -> None:
        if not abs(value) <= sys.float_info.max:  # this form includes NaN and whole numbers of any length
            self._fault(path, "must be a finite number")
        elif (kind.ge is not None and value < kind.ge) or (kind.le is not None and value > kind.le):
            self._fault(path, _range(kind.ge, kind.le))
        elif kind.gt is not None and value <= kind.gt:
            self._fault(path, f"must be greater than {kind.gt}")
        elif kind.lt is not None and value >= kind.lt:
            self._fault(path, f"must be less than {kind.lt}")


def _unwrapped(kind: inspect.Type) -> tuple[str | None, inspect.Type]:
    """The description of its pattern, and the type itself."""
    must = None
    while isinstance(kind, inspect.Metadata):
        must = (kind.extra or {}).get(MUST, must)
        kind = kind.type
    return must, kind


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _count(number: int, words: tuple[str, str]) -> str:
    return f"{number:,} {words[number != 1]}"


def _range(least: float | None, most: float | None) -> str:
    if most is None:
        return f"must be at least {least}"
    return f"must be at most {most}" if least is None else f"must be from {least} to {most}"


def _one_of(values: Iterable[Any]) -> str:
    return f"must be one of {', '.join(str(value) for value in values)}"
