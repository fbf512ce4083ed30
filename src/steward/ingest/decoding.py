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


def decode_batch(payload: bytes) -> Sequence[object]:
    """All at once. Where something is wrong, each as it was sent, for `decode_items`: a bad reading loses no other."""
    refuse_unreadable(payload)
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _DECODERS[TelemetryBatch].decode(payload).readings  # type: ignore[no-any-return]
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [bytes(raw) for raw in _DECODERS[_RawBatch].decode(payload).readings]
    return _converted(_LooseBatch, _loosely(payload)).readings


async def decode_items(items: Iterable[object]) -> list[Item]:
    """What `decode_batch` left unread, one by one: saying what is wrong with each takes longer than reading all that are right."""
    decoded: list[Item] = []
    time_slice = TimeSlice()
    for item in items:
        decoded.append(item if isinstance(item, TelemetryItem) else _item(item))
        if time_slice.expired:
            await time_slice.yield_control()
    return decoded


async def decode_large(payload: bytes) -> Telemetry:
    """One reading, with turns for other requests in between."""
    refuse_unreadable(payload)
    return _converted(Telemetry, await read_in_pieces(payload, _loosely))


async def decode_large_batch(payload: bytes) -> Sequence[object]:
    """What they are, in the same way; `decode_items` says what each is worth."""
    refuse_unreadable(payload)
    return _converted(_LooseBatch, await read_in_pieces(payload, _loosely)).readings


def _item(given: Any) -> Item:
    """From its text, or from what was read of it."""
    if isinstance(given, bytes):
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _DECODERS[TelemetryItem].decode(given)  # type: ignore[no-any-return]
        given = _loosely(given)
    try:
        return _converted(TelemetryItem, given)
    except Invalid as problem:
        # So that the sender can find it.
        names = [given.get(field) if isinstance(given, dict) else None for field in ("assetId", "externalId")]
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
