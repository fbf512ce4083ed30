"""Turns what a browser sends for a form into the Struct that the page names, or into a sentence beside each field.

A name such as `checklist.0.text` is a field within a list. What was left blank is absent; in a Struct of changes, where
absent means unchanged, it clears the field.
"""

import logging
import re
from datetime import datetime, tzinfo
from functools import cache
from io import BytesIO
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, inspect
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, FormParser, parse_options_header

from steward.kit.domain.problems import BadRequest, UnsupportedMediaType
from steward.kit.domain.shared_fields import is_nullable, kinds_of
from steward.kit.http.request import Request
from steward.kit.http.server.exchange import MAXIMUM_BODY
from steward.kit.web.form import SubmittedForm
from steward.web.form_values import FILL_IN, in_plain_words, nested, path_of, path_within, tidy

# What somebody may send who is logged in, and of whom nothing is known yet.
MAXIMUM_FORM = 256 * 1024
MAXIMUM_PUBLIC_FORM = 64 * 1024
# A quotation of 500 lines with six fields each.
_MAX_FIELDS = 4000
_MAX_PUBLIC_FIELDS = 200
# A file and what a form has beside it.
_MAX_PARTS = 200
# The whole body is in memory already, so its files need no temporary ones on disk.
_IN_MEMORY = {"MAX_MEMORY_FILE_SIZE": MAXIMUM_BODY}
# It logs what a sender did wrong. The sender gets it as the answer.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
_TYPE = "application/x-www-form-urlencoded"
_UPLOAD = "multipart/form-data"
# How msgspec calls the place of an entry of an object.
_ANY_ENTRY = "`$[...]"
# What a browser sends for a moment: the wall clock of the person in front of it.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?")


class _Field(msgspec.Struct, frozen=True):
    name: str
    type: Any
    kind: str
    required: bool
    # In a Struct of changes: absent means unchanged.
    change: bool
    nullable: bool


@cache
def _fields(model: type[msgspec.Struct]) -> tuple[_Field, ...]:
    return tuple(
        _Field(
            field.encode_name,
            field.type,
            _kind(field.type),
            field.required,
            field.default is UNSET,
            is_nullable(field.type),
        )
        for field in msgspec.structs.fields(model)
    )


def _kind(annotation: Any) -> str:
    """How the field is sent: once, several times under one name, or in parts; or as a moment."""
    for kind in kinds_of(annotation):
        if isinstance(kind, inspect.ListType):
            items = kinds_of(kind.item_type)
            scalar = not any(isinstance(item, inspect.StructType | inspect.DictType) for item in items)
            return "many" if scalar else "parts"
        if isinstance(kind, inspect.StructType | inspect.DictType):
            return "parts"
        if isinstance(kind, inspect.IntType):
            return "whole"
    return "one"


async def read_form(
    request: Request, model: type[msgspec.Struct], zone: tzinfo, *, public: bool, upload: bool
) -> SubmittedForm[Any]:
    sent = await _sent(request, public=public, upload=upload)
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for field in _fields(model):
        value = _value(field, sent, zone)
        if value is None:
            cleared = field.change and field.name in sent
            if field.required or (cleared and not field.nullable):
                errors[field.name] = FILL_IN
            elif cleared:
                values[field.name] = None
            continue
        wrong = _wrong(field, value)
        errors |= wrong
        if not wrong:
            values[field.name] = value
    content = None if errors else msgspec.convert(values, model, strict=False)
    return SubmittedForm(sent, content, errors)


def _wrong(field: _Field, value: Any) -> dict[str, str]:
    """What is wrong with a field, by the name of the part. Of an object's entries msgspec doesn't tell which one it is, so that
    each is looked at by itself."""
    error = _error(field, value)
    if error is None:
        return {}
    found = {}
    if isinstance(value, dict) and _ANY_ENTRY in error:
        for key, entry in value.items():
            if one := _error(field, {key: entry}):
                place = path_within(f"{field.name}.{key}", one.replace(_ANY_ENTRY, "`$"))
                found[place] = in_plain_words(one)
    return found or {path_of(field.name, error): in_plain_words(error)}


def _error(field: _Field, value: Any) -> str | None:
    try:
        msgspec.convert(value, field.type, strict=False)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _value(field: _Field, sent: dict[str, list[str]], zone: tzinfo) -> Any:
    """None where nothing was filled in."""
    if field.kind == "parts":
        return tidy(nested(field.name, sent))
    given = [value for value in sent.get(field.name, []) if value.strip()]
    if field.kind == "many":
        # An empty list can be meant: a marker with no value says that the field was on the form.
        return given or ([] if field.name in sent and not field.required else None)
    if not given:
        return None
    return _seconds(given[-1], zone) if field.kind == "whole" else given[-1]


def _seconds(text: str, zone: tzinfo) -> Any:
    if _MOMENT.fullmatch(text):
        try:
            return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())
        except (ValueError, OverflowError):
            return text
    return text


async def _sent(request: Request, *, public: bool, upload: bool) -> dict[str, list[str]]:
    content_type = request.header("content-type") or _TYPE
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == _UPLOAD and upload:
        pairs = _parts(content_type, await request.body(MAXIMUM_BODY))
    elif media_type == _TYPE:
        most = MAXIMUM_BODY if upload else MAXIMUM_PUBLIC_FORM if public else MAXIMUM_FORM
        pairs = _pairs(await request.body(most), _MAX_PUBLIC_FIELDS if public else _MAX_FIELDS)
    else:
        raise UnsupportedMediaType(f"A form comes as {_TYPE}.")
    sent: dict[str, list[str]] = {}
    for name, value in pairs:
        if "\0" in value or "\0" in name:
            raise BadRequest("This form holds the character U+0000, which can't be stored.")
        # Browsers end the lines of a text area with two characters; everyone else with one.
        sent.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return sent


def _pairs(body: bytes, most: int) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=most)
    except ValueError:
        raise BadRequest("This form can't be read.") from None


def _parts(content_type: str, body: bytes) -> list[tuple[str, str]]:
    """A form with files. The value of a file's field is what the file holds, as text."""
    parts: list[Field | File] = []
    ended: list[bool] = []

    def add(part: Field | File) -> None:
        parts.append(part)
        if len(parts) > _MAX_PARTS or (part.content_type or "").lower().startswith("multipart/"):
            raise FormParserError

    try:
        boundary = parse_options_header(content_type)[1].get(b"boundary")
        FormParser(_UPLOAD, add, add, lambda: ended.append(True), boundary, config=_IN_MEMORY).write(body)
        if not ended:
            raise FormParserError
    except ValueError:
        raise BadRequest("This form can't be read.") from None
    try:
        return [((part.field_name or b"").decode(), _content(part).decode("utf-8-sig")) for part in parts]
    except UnicodeDecodeError:
        raise BadRequest("The file is not text in UTF-8.") from None


def _content(part: Field | File) -> bytes:
    return part.value or b"" if isinstance(part, Field) else cast(BytesIO, part.file_object).getvalue()
