"""Readings out of JSON, as HTTP and MQTT carry them. Nothing is stored that would have to be bent to fit."""

import json
import math
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.ingest.model import MAX_READINGS, MAX_WHOLE, Telemetry, TelemetryBatch, TelemetryItem
from steward.kit.domain.fields import Body
from steward.kit.domain.problems import BadRequest, Invalid
from steward.kit.domain.validation import invalid
from steward.kit.http.decoding import refuse_nul


class _RawBatch(Body, frozen=True):
    readings: Annotated[list[msgspec.Raw], Meta(min_length=1, max_length=MAX_READINGS)]


_NO_VALUE = "must be a finite number or a boolean"

_telemetry = msgspec.json.Decoder(Telemetry)
_item = msgspec.json.Decoder(TelemetryItem)
_batch = msgspec.json.Decoder(TelemetryBatch)
_raw_batch = msgspec.json.Decoder(_RawBatch)


def decode(payload: bytes) -> Telemetry:
    """One reading."""
    return _decoded(_telemetry, payload)  # type: ignore[no-any-return]


def decode_batch(payload: bytes) -> Sequence[TelemetryItem | Invalid]:
    """All at once, or one by one where something is wrong: a bad reading loses no other."""
    try:
        refuse_nul(payload)
        return _batch.decode(payload).readings
    except (Invalid, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [_item_or_problem(bytes(raw)) for raw in _decoded(_raw_batch, payload).readings]


def _item_or_problem(raw: bytes) -> TelemetryItem | Invalid:
    try:
        return _decoded(_item, raw)  # type: ignore[no-any-return]
    except Invalid as problem:
        return problem


def _decoded(decoder: "msgspec.json.Decoder[Any]", payload: bytes) -> Any:
    refuse_nul(payload)
    try:
        return decoder.decode(payload)
    except msgspec.ValidationError as error:
        raise _with_key(invalid(error), payload) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _decoded_leniently(decoder, payload)
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None


def _decoded_leniently(decoder: "msgspec.json.Decoder[Any]", payload: bytes) -> Any:
    """Many senders write NaN and Infinity, which JSON doesn't have: theirs is a bad value, not a broken body."""
    try:
        # As text, which no value may be, they are refused where they stand; so is null, which a number that no float can
        # hold becomes.
        mended = msgspec.json.encode(json.loads(payload, parse_constant=str))
    except (ValueError, RecursionError):
        raise BadRequest("The body is not JSON.") from None
    try:
        return decoder.decode(mended)
    except msgspec.ValidationError as error:
        raise _with_key(invalid(error), mended) from None


def _with_key(problem: Invalid, payload: bytes) -> Invalid:
    """Says which of the values is wrong, where it is known only that one of them is."""
    [detail] = problem.details
    if detail.field != "values[...]":
        return problem
    try:
        values = _decode_loosely(payload)["values"]
    except (ValueError, RecursionError):
        # What comes behind it may be no JSON, or a number with more digits than Python reads.
        return problem
    if not isinstance(values, dict):
        return problem  # given twice: the readers don't agree on which one counts
    wrong = next((key for key, value in values.items() if not _is_storable(value)), None)
    if wrong is None:
        return problem
    out_of_range = isinstance(values[wrong], int)
    return Invalid(f"values.{wrong}", detail.message if out_of_range else _NO_VALUE)


def _decode_loosely(payload: bytes) -> Any:
    try:
        return msgspec.json.decode(payload)
    except msgspec.DecodeError:
        # Takes numbers that no float holds, for several times the price.
        return json.loads(payload)


def _is_storable(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -MAX_WHOLE <= value <= MAX_WHOLE
    return isinstance(value, bool | float) and math.isfinite(value)
