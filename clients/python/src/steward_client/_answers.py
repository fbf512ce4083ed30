"""What comes back: records, pages, and how they are read."""

import functools
from enum import Enum, StrEnum
from typing import Any, Generic, Self, TypeVar

import msgspec
from msgspec import UNSET as UNSET
from msgspec import UnsetType as UnsetType

from .errors import InvalidAnswer

T = TypeVar("T")


class OpenEnum(StrEnum):
    """A fixed word that a newer service may add to: what we don't know is kept as it came."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = value
        unknown._value_ = value
        return unknown


class Model(msgspec.Struct, kw_only=True, rename="camel"):
    """What is sent and read as a JSON object. Fields that we don't know are ignored."""


class Record(Model, kw_only=True, dict=True):
    """What an operation answers with. `etag` is for `if_match`; None where it came as one of many."""

    @property
    def etag(self) -> str | None:
        return self.__dict__.get("etag")

    @property
    def request_id(self) -> str | None:
        return self.__dict__.get("request_id")


class Answer(msgspec.Struct, Generic[T]):
    data: T


class Page(msgspec.Struct, Generic[T], rename="camel"):
    """`last_evaluated_key` is the cursor of the next page; None on the last one."""

    data: list[T]
    last_evaluated_key: str | None = None


def bare_etag(header: str | None) -> str | None:
    """Without its quotes."""
    return header.strip('"') if header is not None else None


@functools.cache
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def read(kind: Any, content: bytes, *, status: int, request_id: str | None) -> Any:
    try:
        return decoder(kind).decode(content)
    except msgspec.MsgspecError as error:
        raise InvalidAnswer(
            status, "InvalidAnswer", f"The answer isn't what was expected: {error}", request_id
        ) from error


def read_record(kind: type[T], content: bytes, *, status: int, request_id: str | None, etag: str | None) -> T:
    record: T = read(Answer[kind], content, status=status, request_id=request_id).data  # type: ignore[valid-type]
    if isinstance(record, Record):
        record.__dict__.update(etag=etag, request_id=request_id)
    return record


def to_dict(record: Any) -> Any:
    """A record, or a list of them, as plain data with the names of the API."""
    return msgspec.to_builtins(record, enc_hook=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    raise NotImplementedError(f"{type(value).__name__} is no data")
