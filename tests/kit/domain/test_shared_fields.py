from typing import Annotated, Any

import msgspec
import pytest
from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.fields import Body, Metadata, Name, Record, Seconds, Text
from steward.kit.domain.patch import apply, given
from steward.kit.domain.shared_fields import (
    changes_of,
    common_fields,
    example_of,
    made_from,
    same_fields,
)

Size = Annotated[int, Meta(ge=1, examples=[42])]


class Pump(Record, frozen=True):
    id: str
    name: str
    note: str | None
    size: Size
    tags: list[str]
    metadata: dict[str, Any]
    retired_at: Seconds | None
    created: Seconds


class NewPump(Body, frozen=True):
    name: Name
    maker_code: Annotated[str | None, Meta(description="Not kept.")] = None
    note: Annotated[Text | None, Meta(description="Anything.")] = None
    size: Size = 7
    tags: list[str] = []
    metadata: Metadata = {}


@changes_of(NewPump, without="maker_code", resets="size")
class PumpChanges(Body, frozen=True):
    """What may be said of a pump later."""

    not_taken = {"retiredAt": "is set by others"}

    tags: Annotated[list[str] | UnsetType | None, Meta(description="All of them.")] = UNSET
    reason: Name | UnsetType = UNSET

    @property
    def says_why(self) -> bool:
        return self.reason is not UNSET


@same_fields(NewPump, without="maker_code metadata")
class PumpForm(Body, frozen=True):
    tags: Text | None = None


PUMP = Pump("pmp_1", "Feed", "Loud", 9, ["a"], {"b": 1}, None, 5)


def _changes(body: bytes) -> PumpChanges:
    return msgspec.json.decode(body, type=PumpChanges)


def test_changes_have_the_fields_of_a_new_record_in_their_order_and_then_their_own() -> None:
    assert PumpChanges.__struct_fields__ == ("name", "note", "size", "tags", "metadata", "reason")
    assert PumpChanges.__doc__ == "What may be said of a pump later."
    assert PumpChanges.not_taken == {"retiredAt": "is set by others"}
    assert given(PumpChanges()) == {}


def test_changes_keep_limits_and_descriptions_and_refuse_unknown_fields() -> None:
    properties = msgspec.json.schema(PumpChanges)["$defs"]["PumpChanges"]["properties"]
    assert properties["note"]["description"] == "Anything."
    assert properties["tags"]["description"] == "All of them."
    assert "makerCode" not in properties
    for wrong in (b'{"name": ""}', b'{"size": 0}', b'{"makerCode": "x"}', b'{"retiredAt": 1}'):
        with pytest.raises(msgspec.ValidationError):
            _changes(wrong)


def test_null_clears_or_resets_and_is_refused_elsewhere() -> None:
    changed = apply(PUMP, _changes(b'{"note": null, "size": null, "tags": null, "metadata": null}'))
    assert changed == Pump("pmp_1", "Feed", None, 7, [], {}, None, 5)
    for wrong in (b'{"name": null}', b'{"reason": null}'):
        with pytest.raises(msgspec.ValidationError):
            _changes(wrong)


def test_the_class_keeps_its_methods() -> None:
    assert _changes(b'{"reason": "Worn"}').says_why
    assert not PumpChanges().says_why


def test_a_form_has_the_fields_of_a_body_with_its_own_in_their_place() -> None:
    assert PumpForm.__struct_fields__ == ("name", "note", "size", "tags")
    form = msgspec.convert({"name": "Feed", "tags": "a\nb"}, PumpForm)
    assert made_from(NewPump, form, tags=["a", "b"]) == NewPump(name="Feed", tags=["a", "b"])


def test_a_record_is_made_from_fields_of_the_same_names() -> None:
    new = NewPump(name="Feed", maker_code="X", tags=["a"])
    assert common_fields(NewPump, Pump) == ("name", "note", "size", "tags", "metadata")
    assert made_from(Pump, new, id="pmp_2", created=3, tags=[]) == Pump(
        "pmp_2", "Feed", None, 7, [], {}, None, 3
    )
    with pytest.raises(TypeError, match="created"):
        made_from(Pump, new, id="pmp_2")


def test_an_example_fills_missing_values_from_the_types() -> None:
    assert example_of(Pump, id="pmp_1", name="Feed", tags=[], metadata={}) == Pump(
        "pmp_1", "Feed", None, 42, [], {}, None, 1767225600
    )
    with pytest.raises(TypeError, match="name"):
        example_of(Pump, id="pmp_1", tags=[], metadata={})
