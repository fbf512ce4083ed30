"""What a form may ask: every way to define a field wrongly is named, all at once."""

import pytest

from steward.forms.model import FieldType, FormField
from steward.forms.rules import problems_of


def field(key: str = "one", kind: str = "text", **more) -> FormField:
    return FormField(key=key, label="Question", type=FieldType(kind), **more)


@pytest.mark.parametrize(
    "defined",
    [
        field(),
        field(kind="longText", required=True),
        field(kind="number"),
        field(kind="number", min=0),
        field(kind="number", max=-1),
        field(kind="number", min=0.5, max=0.5),
        field(kind="date"),
        field(kind="select", options=["a"]),
        field(kind="multiSelect", options=["a", "b"]),
        field(kind="passFail"),
        field(kind="rating"),
        field(kind="rating", min=0),
        field(kind="rating", max=10),
        field(kind="rating", min=6, max=7),
        field(kind="instruction"),
    ],
)
def test_a_valid_definition_has_no_problems(defined: FormField) -> None:
    assert problems_of([defined]) == []


@pytest.mark.parametrize(
    ("defined", "wrong"),
    [
        (field(kind="select"), ["options"]),
        (field(kind="select", options=[]), ["options"]),
        (field(kind="multiSelect", options=["a", "b", "a"]), ["options"]),
        (field(kind="text", options=["a"]), ["options"]),
        (field(kind="text", min=1), ["min"]),
        (field(kind="passFail", min=1, max=2), ["min", "max"]),
        (field(kind="number", min=2, max=1), ["max"]),
        (field(kind="rating", min=6), ["min"]),
        (field(kind="rating", max=0), ["max"]),
        (field(kind="rating", min=0.5), ["min"]),
        (field(kind="rating", min=1.0, max=4.5), ["min", "max"]),
        (field(kind="instruction", required=True), ["required"]),
        (field(kind="instruction", required=True, options=["a"], max=3), ["required", "options", "max"]),
    ],
)
def test_a_wrong_definition_is_named_by_its_place(defined: FormField, wrong: list[str]) -> None:
    details = problems_of([field(key="zero"), defined])
    assert [detail.field for detail in details] == [f"fields[1].{name}" for name in wrong]


def test_a_key_is_unique_within_the_form() -> None:
    details = problems_of([field("a"), field("b"), field("a"), field("a")])
    assert [detail.field for detail in details] == ["fields[2].key", "fields[3].key"]
