"""Answers against questions: a table of what fits and what doesn't, and the rules that hold for all of them."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.forms.model import FieldType, FormField
from steward.forms.submissions.rules import check_answers


def field(kind: str, key: str = "one", **more: Any) -> FormField:
    return FormField(key=key, label="Question", type=FieldType(kind), **more)


TEXT, LONG, DATE, PASS_FAIL = field("text"), field("longText"), field("date"), field("passFail")
NUMBER, BOUND = field("number"), field("number", min=-1, max=2.5)
SELECT, MULTI = field("select", options=["a", "b"]), field("multiSelect", options=["a", "b"])
RATING, WIDE_RATING = field("rating"), field("rating", min=0, max=10)
INSTRUCTION = field("instruction")
ANSWERABLE = [TEXT, LONG, NUMBER, BOUND, DATE, SELECT, MULTI, PASS_FAIL, RATING, WIDE_RATING]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (TEXT, "yes"),
        (TEXT, ""),
        (TEXT, "x" * 1000),
        (LONG, "x" * 10_000),
        (NUMBER, 0),
        (NUMBER, -1.5),
        (NUMBER, 10**15),
        (BOUND, -1),
        (BOUND, 2.5),
        (DATE, "2024-02-29"),
        (DATE, "0001-01-01"),
        (SELECT, "a"),
        (MULTI, []),
        (MULTI, ["b", "a"]),
        (PASS_FAIL, "Pass"),
        (PASS_FAIL, "Fail"),
        (PASS_FAIL, "NA"),
        (RATING, 1),
        (RATING, 5),
        (WIDE_RATING, 0),
        (WIDE_RATING, 10),
        *((asked, None) for asked in [*ANSWERABLE, INSTRUCTION]),
    ],
)
def test_a_valid_answer_is_accepted(asked: FormField, answer: Any) -> None:
    assert check_answers([asked], {"one": answer}) == []


@pytest.mark.parametrize(
    ("asked", "answer", "message"),
    [
        (TEXT, 1, "must be a text"),
        (TEXT, "x" * 1001, "must have at most 1000 characters"),
        (LONG, "x" * 10_001, "must have at most 10000 characters"),
        (NUMBER, "1", "must be a number"),
        (NUMBER, True, "must be a number"),
        (NUMBER, 10**15 + 1, "must be from -1000000000000000 to 1000000000000000"),
        (BOUND, -1.01, "must be from -1 to 2.5"),
        (BOUND, 3, "must be from -1 to 2.5"),
        (DATE, "2023-02-29", "must be a date like 2026-01-31"),
        (DATE, "20240101", "must be a date like 2026-01-31"),
        (DATE, "2024-W01-1", "must be a date like 2026-01-31"),
        (DATE, "2024-01-01T00:00:00", "must be a date like 2026-01-31"),
        (DATE, "\u0662024-01-01", "must be a date like 2026-01-31"),
        (DATE, 20240101, "must be a date like 2026-01-31"),
        (SELECT, "c", "must be one of a, b"),
        (SELECT, ["a"], "must be one of a, b"),
        (SELECT, {}, "must be one of a, b"),
        (MULTI, "a", "must be a list of options"),
        (MULTI, ["a", "c"], "must be one of a, b"),
        (MULTI, ["a", ["b"]], "must be one of a, b"),
        (MULTI, ["a", "b", "a"], "names an option twice"),
        (PASS_FAIL, "pass", "must be one of Pass, Fail, NA"),
        (PASS_FAIL, True, "must be one of Pass, Fail, NA"),
        (RATING, 0, "must be from 1 to 5"),
        (RATING, 6, "must be from 1 to 5"),
        (RATING, 4.5, "must be a whole number"),
        (RATING, True, "must be a whole number"),
        (WIDE_RATING, 11, "must be from 0 to 10"),
        (INSTRUCTION, "read", "is an instruction and takes no answer"),
    ],
)
def test_an_invalid_answer_is_refused(asked: FormField, answer: Any, message: str) -> None:
    assert [(d.field, d.message) for d in check_answers([asked], {"one": answer})] == [
        ("answers.one", message)
    ]


@pytest.mark.parametrize("kind", [kind for kind in FieldType if kind != "instruction"])
@pytest.mark.parametrize("answers", [{}, {"one": None}])
def test_a_required_field_needs_an_answer(kind: FieldType, answers: dict[str, Any]) -> None:
    asked = field(kind, required=True, options=["a"] if "elect" in kind else None)
    assert [d.message for d in check_answers([asked], answers)] == ["is required"]


@pytest.mark.parametrize(("kind", "answer"), [("text", " \n"), ("longText", ""), ("multiSelect", [])])
def test_an_empty_answer_does_not_satisfy_a_required_field(kind: str, answer: Any) -> None:
    asked = field(kind, required=True, options=["a"] if kind == "multiSelect" else None)
    assert [d.message for d in check_answers([asked], {"one": answer})] == ["is required"]


def test_all_errors_are_reported_at_once() -> None:
    asked = [field("number", "a"), field("date", "b", required=True), field("passFail", "c")]
    found = check_answers(asked, {"a": "x", "c": "Pass", "typo": 1})
    assert {(d.field, d.message) for d in found} == {
        ("answers.typo", "is not a field of this form"),
        ("answers.a", "must be a number"),
        ("answers.b", "is required"),
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from([*ANSWERABLE, INSTRUCTION]), JSON)
def test_any_input_gets_one_error_per_field(asked: FormField, answer: Any) -> None:
    found = check_answers([asked], {"one": answer})
    assert [d.field for d in found] in ([], ["answers.one"])
    assert all(d.message for d in found)


@given(st.dates())
def test_every_date_fits(day: dt.date) -> None:
    assert check_answers([DATE], {"one": day.isoformat()}) == []


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=5))
def test_a_choice_is_valid_exactly_when_it_is_a_subset(chosen: list[str]) -> None:
    fits = check_answers([MULTI], {"one": chosen}) == []
    assert fits == (set(chosen) <= {"a", "b"} and len(chosen) == len(set(chosen)))


@given(st.integers(), st.integers(-50, 50), st.integers(-50, 50))
def test_a_number_is_valid_exactly_when_within_its_bounds(answer: int, low: int, high: int) -> None:
    asked = field("number", min=low, max=high)
    assert (check_answers([asked], {"one": answer}) == []) == (low <= answer <= high)
