"""Readings out of JSON, as HTTP and MQTT carry them. Nothing is stored that would have to be bent to fit."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import isfinite
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from steward.assets.commands.model import DeviceAnswer
from steward.ingest.model import (
    MAX_NAME_LENGTH,
    MAX_READINGS,
    Item,
    Telemetry,
    TelemetryBatch,
    TelemetryItem,
    UnreadableItem,
)
from steward.kit.domain.fields import Body
from steward.kit.domain.problems import MAX_FAULTS, BadRequest, Invalid
from steward.kit.domain.validation import invalid
from steward.kit.domain.whole_numbers import is_about_fraction, with_whole_numbers
from steward.kit.http.decoding import refuse_unreadable
from steward.kit.http.json_pieces import read_in_pieces
from steward.kit.runtime.time_slice import TimeSlice

S = TypeVar("S", bound=msgspec.Struct)


class _RawBatch(Body, frozen=True):
    readings: Annotated[list[msgspec.Raw], Meta(min_length=1, max_length=MAX_READINGS)]


class _LooseBatch(Body, frozen=True):
    """The same of what is hardly JSON."""

    readings: Annotated[list[Any], Meta(min_length=1, max_length=MAX_READINGS)]


_DECODERS: dict[type[msgspec.Struct], msgspec.json.Decoder[Any]] = {
    model: msgspec.json.Decoder(model)
    for model in (DeviceAnswer, Telemetry, TelemetryItem, TelemetryBatch, _RawBatch)
}


def decode(model: type[S], payload: bytes) -> S:
    """One reading, or what a device says to a command."""
    refuse_unreadable(payload)
    try:
        return _DECODERS[model].decode(payload)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _converted(model, _loosely(payload))
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None


def decode_batch(payload: bytes) -> Sequence[TelemetryItem | bytes]:
    """All at once. Where something is wrong, each as it was sent, for `decode_items`: a bad reading loses no other."""
    try:
        refuse_unreadable(payload)
        return _DECODERS[TelemetryBatch].decode(payload).readings  # type: ignore[no-any-return]
    except (Invalid, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _apart(payload)


async def decode_items(items: Iterable[Item | bytes]) -> list[Item]:
    """What `decode_batch` left unread, one by one: saying what is wrong with each takes longer than reading all that are right."""
    decoded: list[Item] = []
    time_slice = TimeSlice()
    for item in items:
        decoded.append(_item_or_problem(item) if isinstance(item, bytes) else item)
        if time_slice.expired:
            await time_slice.yield_control()
    return decoded


async def decode_large(payload: bytes) -> Telemetry:
    """One reading, with turns for other requests in between."""
    refuse_unreadable(payload)
    return _converted(Telemetry, await read_in_pieces(payload, _loosely))


async def decode_large_batch(payload: bytes) -> list[Item]:
    """All of them, in the same way."""
    refuse_unreadable(payload)
    items: list[Item] = []
    time_slice = TimeSlice()
    for value in _converted(_LooseBatch, await read_in_pieces(payload, _loosely)).readings:
        items.append(_converted_item(value))
        if time_slice.expired:
            await time_slice.yield_control()
    return items


def _apart(payload: bytes) -> list[bytes]:
    """Each reading as it was sent."""
    refuse_unreadable(payload)
    try:
        return [bytes(raw) for raw in _DECODERS[_RawBatch].decode(payload).readings]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [json.dumps(item).encode() for item in _converted(_LooseBatch, _loosely(payload)).readings]


def _item_or_problem(raw: bytes) -> Item:
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _DECODERS[TelemetryItem].decode(raw)  # type: ignore[no-any-return]
    return _converted_item(_loosely(raw))


def _converted_item(value: Any) -> Item:
    try:
        return _converted(TelemetryItem, value)
    except Invalid as problem:
        # So that the sender can find it.
        names = [value.get(field) if isinstance(value, dict) else None for field in ("assetId", "externalId")]
        return UnreadableItem(
            problem.without_frames(),
            *(name if isinstance(name, str) and len(name) <= MAX_NAME_LENGTH else None for name in names),
        )


def _converted(model: type[S], value: Any) -> S:
    try:
        return msgspec.convert(value, model)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        if is_about_fraction(error):
            with suppress(msgspec.ValidationError, UnicodeEncodeError):
                return msgspec.convert(with_whole_numbers(model, value), model)
        # Of a reading among a thousand, the first fault must do.
        raise invalid(model, value, error, most=1 if model is TelemetryItem else MAX_FAULTS) from None


def _loosely(payload: bytes) -> Any:
    """Many senders write NaN and Infinity, which JSON doesn't have: theirs is a bad value, not a broken body. As text, which no
    value may be, they are refused where they stand."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode(payload)
    try:
        return json.loads(payload, parse_constant=str, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadRequest("The body is not JSON.") from None


def _finite(text: str) -> float | str:
    number = float(text)
    return number if isfinite(number) else text
