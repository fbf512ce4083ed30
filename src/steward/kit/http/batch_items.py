"""What a batch is made of: items as they are read, and as the document describes them."""

from collections.abc import Callable
from contextlib import aclosing
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.fields import Body, ExternalId, Identifier, Record
from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.http.decoding import converted, read_body, read_large_body, read_part, refuse_unreadable
from steward.kit.http.json_pieces import LEFT_OUT, pieces, read_in_pieces
from steward.kit.http.operations import Operations
from steward.kit.http.repeated_keys import key_named_twice, refuse_repeated_keys_around
from steward.kit.http.server.exchange import MAXIMUM_BODY, body_too_large

MAX_ITEMS = 500
_VERBS = ("create", "change", "replace", "move", "delete")
_ABSENT, _GIVEN = msgspec.Raw(), msgspec.Raw(b"{}")


class Envelope(Body, frozen=True):
    """Items are read one by one: what is wrong with one is said in its result."""

    items: Annotated[list[msgspec.Raw], Meta(min_length=1, max_length=MAX_ITEMS)]
    atomic: bool = False


class _Part(Body, frozen=True):
    """Of an envelope; it holds items, and may be the part in which the rest stands."""

    items: Annotated[list[msgspec.Raw], Meta(min_length=1)]
    atomic: bool | UnsetType = UNSET


class _LooseEnvelope(Body, frozen=True):
    """One whose items are decoded already."""

    items: Annotated[list[Any], Meta(min_length=1, max_length=MAX_ITEMS)]
    atomic: bool = False


# Where an envelope is cut: between items.
_BETWEEN_ITEMS = (b"{", b'"items":[')
_decode_part = msgspec.json.Decoder(_Part).decode


def read_envelope(body: bytes) -> Envelope:
    """Items are checked for repeated keys when they are read, one by one."""
    refuse_unreadable(body)
    envelope: Envelope = read_part(Envelope, body)
    refuse_repeated_keys_around(body, map(bytes, envelope.items))
    return envelope


async def read_large_envelope(body: bytes) -> Envelope:
    """The same in pieces, each of which is an envelope with some of the items; where there are too many, the rest isn't read."""
    refuse_unreadable(body)
    whole: dict[str, Any] = {"items": []}
    try:
        async with aclosing(pieces(body, _BETWEEN_ITEMS)) as found:
            async for _, piece in found:
                part = _decode_part(piece)
                refuse_repeated_keys_around(piece, map(bytes, part.items))
                whole["items"] += part.items
                if part.atomic is not UNSET:
                    if "atomic" in whole:
                        raise key_named_twice("atomic")
                    whole["atomic"] = part.atomic
                if len(whole["items"]) > MAX_ITEMS:
                    break
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # What is wrong with it is said as of any other body.
        return await read_large_body(_LooseEnvelope, None, body)  # type: ignore[no-any-return]
    return converted(Envelope, whole)  # type: ignore[no-any-return]


class AnyItem(Body, frozen=True):
    """One of the verbs, and whom it is about."""

    create: msgspec.Raw = _ABSENT
    change: msgspec.Raw = _ABSENT
    replace: msgspec.Raw = _ABSENT
    move: str | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    body: msgspec.Raw = _ABSENT
    id: Identifier | UnsetType = UNSET
    external_id: ExternalId | UnsetType = UNSET
    if_match: str | UnsetType = UNSET


# Reads one of the bodies of an item.
ReadPart = Callable[[type[msgspec.Struct], str], Any]
_BODIES = frozenset({"create", "change", "replace", "body"})


def read_item(text: bytes) -> tuple[AnyItem, ReadPart]:
    if text == LEFT_OUT:
        raise body_too_large(MAXIMUM_BODY)
    item: AnyItem = read_body(AnyItem, None, text)
    return item, lambda model, name: read_part(model, bytes(getattr(item, name)) or b"{}")


async def read_large_item(text: bytes) -> tuple[AnyItem, ReadPart]:
    """The same in pieces; the operation by itself takes no more either."""
    if len(text) > MAXIMUM_BODY:
        raise body_too_large(MAXIMUM_BODY)
    value = await read_in_pieces(text)
    outline = value
    if isinstance(value, dict):
        outline = {name: _GIVEN if name in _BODIES else part for name, part in value.items()}
    return converted(AnyItem, outline), lambda model, name: converted(model, value.get(name, {}))


def change_of(text: bytes) -> tuple[str, bytes]:
    """What an item makes or changes, and its body; nothing where it does neither, or can't be read."""
    try:
        value = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", b""
    given = [verb for verb in ("create", "change", "replace") if verb in value]
    return (given[0], bytes(value[given[0]])) if len(given) == 1 else ("", b"")


class ItemError(Record, frozen=True, omit_defaults=True):
    """What the operation by itself would have been answered."""

    error: str
    message: str
    details: list[ErrorDetail] = []


def verb_of(item: AnyItem) -> str:
    """The verb of an item that says one thing."""
    given = [verb for verb in _VERBS if _is_given(getattr(item, verb))]
    if len(given) != 1:
        raise Invalid("", f"An item has exactly one of {', '.join(_VERBS[:-1])} and {_VERBS[-1]}.")
    verb = given[0]
    named = [name for name in ("id", "external_id") if _is_given(getattr(item, name))]
    if verb == "create" and (named or _is_given(item.if_match)):
        raise Invalid("create", "takes neither id nor externalId beside it, nor ifMatch")
    if verb == "replace" and named != ["external_id"]:
        raise Invalid("externalId", "is required beside replace, and alone")
    if verb in {"change", "move", "delete"} and len(named) != 1:
        raise Invalid("id", f"is required beside {verb}, or externalId instead of it")
    if item.delete is False:
        raise Invalid("delete", "must be true, or absent")
    if verb != "move" and _is_given(item.body):
        raise Invalid("body", "is for moves only")
    return verb


def _is_given(value: Any) -> bool:
    return bytes(value) != b"" if isinstance(value, msgspec.Raw) else value is not UNSET


def if_match_of(item: AnyItem) -> str | None:
    """As in the header and in results; without quotes, too, as the results of version 0.2 had it."""
    if item.if_match is UNSET:
        return None
    return item.if_match if item.if_match == "*" or '"' in item.if_match else f'"{item.if_match}"'


def described(
    operations: Operations, replaced: type[msgspec.Struct]
) -> tuple[type[msgspec.Struct], type[msgspec.Struct]]:
    """What a batch takes and gives, for the document; what is read is the same without the bodies."""
    name = operations.name
    fields: list[tuple[str, Any, Any]] = [
        ("create", operations.create.body | UnsetType, UNSET),
        ("change", operations.change.body | UnsetType, UNSET),
        ("replace", replaced | UnsetType, UNSET),
        ("id", Identifier | UnsetType, UNSET),
        ("external_id", ExternalId | UnsetType, UNSET),
        ("if_match", str | UnsetType, UNSET),
    ]
    if operations.moves:
        verbs = {verb.upper().replace("-", "_"): verb for verb in operations.moves}
        moves = StrEnum(f"{name}Move", verbs)  # type: ignore[misc]
        with_body = dict[str, Any] | UnsetType
        fields += [("move", moves | UnsetType, UNSET), ("body", with_body, UNSET)]
    if operations.delete is not None:
        fields.append(("delete", Annotated[bool | UnsetType, Meta(description="`true`.")], UNSET))
    item = _defined(f"{name}BatchItem", fields)
    items = Annotated[list[item], Meta(min_length=1, max_length=MAX_ITEMS)]  # type: ignore[valid-type]
    batch = _defined(f"{name}Batch", [("items", items), ("atomic", bool, False)])
    counts = [("atomic", bool), ("succeeded", int), ("failed", int)]
    return batch, _defined(f"{name}BatchReport", [*counts, ("results", list[_result(operations)])])  # type: ignore[misc]


def _result(operations: Operations) -> type[msgspec.Struct]:
    return _defined(
        f"{operations.name}BatchResult",
        [
            ("index", int),
            ("status", Annotated[int, Meta(description="What the operation by itself answers.")]),
            (
                "data",
                Annotated[
                    operations.resource.gives | None, Meta(description="Null when it was deleted, too.")
                ],
            ),
            (
                "etag",
                Annotated[str | None, Meta(description="As in the header, with its quotes. For `ifMatch`.")],
            ),
            ("error", ItemError | None),
        ],
    )


def _defined(name: str, fields: list[Any]) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        name, fields, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
    )
