"""Turns bodies and query strings into the Structs that routes name, or into a problem that names the field."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

from steward.kit.domain.json_types import WHOLE
from steward.kit.domain.problems import BadRequest, ErrorDetail, Invalid, UnsupportedMediaType
from steward.kit.domain.ranges import reversed_fields
from steward.kit.domain.validation import invalid
from steward.kit.domain.whole_numbers import is_about_fraction, with_whole_numbers
from steward.kit.http.extreme_numbers import refuse_extreme_numbers
from steward.kit.http.json_pieces import AT_ONCE, read_in_pieces
from steward.kit.http.repeated_keys import refuse_repeated_keys

# A JSON escape for the one character that PostgreSQL's text can't store.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
# The index among several values: a query parameter has no such positions.
_PLACE = re.compile(r"\[\d+\]$")
# Callers write what they like, so cache few and short values.
_SHORT_QUERY = 128
_KEPT_QUERIES = 1024

T = TypeVar("T")


@cache
def _decoder(model: type[msgspec.Struct]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(model)


def refuse_unreadable(body: bytes) -> None:
    """Refuses what can't be stored or would take long to decode."""
    if b"\\u0000" in body and _NUL.search(body):
        raise Invalid("", "The body holds the character U+0000, which can't be stored.")
    # Larger bodies are checked piece by piece.
    if len(body) <= AT_ONCE:
        refuse_extreme_numbers(body)


def read_specially(reads: Callable[[bytes], T], content_type: str | None, body: bytes) -> T:
    """A JSON body that its route decodes in its own way."""
    if body:
        _check_media_type(content_type, "application/json")
    return reads(body or b"{}")


def without_repeated_keys(reads: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """The same decoder, which also refuses a repeated key; that fault comes before all others."""

    def read(body: bytes) -> T:
        try:
            value = reads(body)
        except Invalid:
            refuse_repeated_keys(body)
            raise
        refuse_repeated_keys(body)
        return value

    return read


def read_body(model: type[msgspec.Struct], content_type: str | None, body: bytes) -> Any:
    """An absent body counts as an empty object: a request without required fields needs no body."""
    if body:
        _check_media_type(content_type, "application/json")
        refuse_unreadable(body)
    value = read_part(model, body or b"{}")
    refuse_repeated_keys(body)
    return value


async def read_large_body(model: type[msgspec.Struct], content_type: str | None, body: bytes) -> Any:
    """The same for a body that would block other requests if it were decoded at once."""
    _check_media_type(content_type, "application/json")
    refuse_unreadable(body)
    return converted(model, await read_in_pieces(body))


def read_part(model: type[msgspec.Struct], body: bytes) -> Any:
    """Without the check for repeated keys, which the caller has made."""
    try:
        return _decoded(model, body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadRequest("The body is not JSON.") from None
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None


def _decoded(model: type[msgspec.Struct], body: bytes) -> Any:
    try:
        return _decoder(model).decode(body)
    except msgspec.ValidationError as error:
        # Decoding stops at the first fault: the rest may not be JSON.
        value = msgspec.json.decode(body)
        refuse_repeated_keys(body)
        return _put_right(model, value, error)


def converted(model: type[msgspec.Struct], value: Any) -> Any:
    """Converts a body that is decoded already."""
    try:
        return msgspec.convert(value, model)
    except msgspec.ValidationError as error:
        return _put_right(model, value, error)


def _put_right(model: type[msgspec.Struct], value: Any, error: msgspec.ValidationError) -> Any:
    if is_about_fraction(error):
        value = with_whole_numbers(model, value)
        with suppress(msgspec.ValidationError):
            return msgspec.convert(value, model)
    raise invalid(model, value, error) from None


@cache
def _fields_of(model: type[msgspec.Struct], wanted: type[msgspec.inspect.Type]) -> frozenset[str]:
    return frozenset(
        field.encode_name
        for field in msgspec.inspect.type_info(model).fields  # type: ignore[attr-defined]
        if _is_a(wanted, field.type)
    )


def _is_a(wanted: type[msgspec.inspect.Type], kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.Metadata):
        return _is_a(wanted, kind.type)
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(_is_a(wanted, part) for part in kind.types)
    return isinstance(kind, wanted)


def read_text(content_type: str | None, body: bytes) -> str:
    _check_media_type(content_type, "text/csv", "application/octet-stream")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRequest("The body is not UTF-8.") from None
    if "\0" in text:
        raise Invalid("", "The body holds the character U+0000, which can't be stored.")
    return text


def _check_media_type(content_type: str | None, *wanted: str) -> None:
    if content_type is None or content_type in wanted:
        return
    media_type, _, parameters = content_type.partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if media_type.strip().lower() not in wanted or charset not in {"", "charset=utf-8"}:
        raise UnsupportedMediaType(f"The body must be {' or '.join(wanted)} in UTF-8.")


def read_query(model: type[msgspec.Struct], query_string: str) -> Any:
    """Frozen, so that equal query strings can share one value."""
    if len(query_string) <= _SHORT_QUERY:
        return _read_short_query(model, query_string)
    return _read_query(model, query_string)


def _read_query(model: type[msgspec.Struct], query_string: str) -> Any:
    try:
        pairs = parse_qsl(query_string, keep_blank_values=True, strict_parsing=False, errors="strict")
    except (UnicodeDecodeError, ValueError):
        raise Invalid("", "The query string is not URL-encoded UTF-8.") from None
    values = dict(pairs)
    if len(values) != len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise Invalid(repeated, "is given more than once")
    if any("\0" in value for value in values.values()):
        raise Invalid("", "The query string holds the character U+0000.")
    return convert_query(model, values)


def convert_query(model: type[msgspec.Struct], values: dict[str, str]) -> Any:
    """The Struct of parameters that are parsed already."""
    lists = _fields_of(model, msgspec.inspect.ListType)
    given: dict[str, Any] = {
        name: value.split(",") if name in lists else value for name, value in values.items()
    }
    for name, former in getattr(model, "former_values", {}).items():
        if name in given:
            given[name] = [former.get(value, value) for value in given[name]]
    whole_numbers = _fields_of(model, msgspec.inspect.IntType)
    try:
        # msgspec alone would also accept 1e1 and 1.0.
        if not all(WHOLE.fullmatch(values[name]) for name in whole_numbers & values.keys()):
            raise msgspec.ValidationError("a number is not whole")  # noqa: TRY301 (told together with all else)
        value = msgspec.convert(given, model, strict=False)
    except msgspec.ValidationError as error:
        problem = invalid(model, given, error, noun="parameter", strict=False)
        raise Invalid.of(
            dict.fromkeys(
                ErrorDetail(_PLACE.sub("", fault.field), fault.message) for fault in problem.details
            )
        ) from None
    if faults := reversed_fields(value):
        raise Invalid.of(faults)
    return value


_read_short_query = lru_cache(maxsize=_KEPT_QUERIES)(_read_query)
