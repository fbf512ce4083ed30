"""Turns what a browser sends for a form into the Struct that the page names, or into a sentence beside each field."""

import re
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import inspect

from steward.kit.domain.problems import BadRequest, UnsupportedMediaType
from steward.kit.http.request import Request
from steward.kit.http.web_page import SubmittedForm

MAXIMUM_FORM = 64 * 1024
_MAX_FIELDS = 200
_TYPE = "application/x-www-form-urlencoded"
_LENGTH = re.compile(r"length (<=|>=) (\d+)")

FILL_IN = "Fill this in."


class _Field(msgspec.Struct, frozen=True):
    name: str
    type: Any
    many: bool
    required: bool


@cache
def _fields(model: type[msgspec.Struct]) -> tuple[_Field, ...]:
    return tuple(
        _Field(field.encode_name, field.type, _is_list(field.type), field.required)
        for field in msgspec.structs.fields(model)
    )


def _is_list(kind: Any) -> bool:
    info = inspect.type_info(kind)
    while isinstance(info, inspect.Metadata):
        info = info.type
    return isinstance(info, inspect.ListType)


async def read_form(request: Request, model: type[msgspec.Struct]) -> SubmittedForm[Any]:
    sent = await _sent(request)
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for field in _fields(model):
        given = [value for value in sent.get(field.name, []) if value.strip()]
        if not given:
            if field.required:
                errors[field.name] = FILL_IN
            continue
        value = given if field.many else given[-1]
        try:
            msgspec.convert(value, field.type, strict=False)
        except msgspec.ValidationError as error:
            errors[field.name] = _in_plain_words(str(error))
        else:
            values[field.name] = value
    content = None if errors else msgspec.convert(values, model, strict=False)
    return SubmittedForm(sent, content, errors)


async def _sent(request: Request) -> dict[str, list[str]]:
    content_type = (request.header("content-type") or _TYPE).partition(";")[0].strip().lower()
    if content_type != _TYPE:
        raise UnsupportedMediaType("A form comes as application/x-www-form-urlencoded.")
    body = await request.body(MAXIMUM_FORM)
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except ValueError:
        raise BadRequest("This form can't be read.") from None
    sent: dict[str, list[str]] = {}
    for name, value in pairs:
        if "\0" in value:
            raise BadRequest("This form holds the character U+0000, which can't be stored.")
        # Browsers end the lines of a text area with two characters; everyone else with one.
        sent.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return sent


def _in_plain_words(text: str) -> str:
    if length := _LENGTH.search(text):
        bound = "at most" if length[1] == "<=" else "at least"
        return f"Use {bound} {length[2]} characters."
    if "enum" in text:
        return "Choose one of the values that are offered."
    return "This does not look right."
