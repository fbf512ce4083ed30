"""What an assistant is shown of an answer."""

import json

import pytest

from steward_client.mcp.answers import shown, without_empty


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": None, "b": 0, "c": False, "d": ""}, {"b": 0, "c": False, "d": ""}),
        ({"a": {"b": None}, "c": [], "d": {}}, {}),
        ([{"a": None}, 1, None], [{}, 1, None]),
        ("text", "text"),
    ],
)
def test_empty_fields_are_left_out(value, expected) -> None:
    assert without_empty(value) == expected


def test_a_page_returns_the_cursor_of_the_next() -> None:
    text, sentence = shown({"data": [{"id": "a"}], "lastEvaluatedKey": "k=="}, "list_assets")
    assert json.loads(text) == {"data": [{"id": "a"}]}
    assert (
        sentence
        == 'There are more: call list_assets again with the same arguments and lastEvaluatedKey="k==".'
    )


def test_the_last_page_says_so() -> None:
    assert shown({"data": [], "lastEvaluatedKey": None}, "list_assets") == ['{"data":[]}', "That is all."]


def test_a_page_that_is_too_large_ends_after_a_whole_record() -> None:
    records = [{"id": f"{number}", "text": "x" * 50} for number in range(10)]
    text, sentence = shown({"data": records, "lastEvaluatedKey": "k"}, "list_assets", most=300)
    found = json.loads(text)["data"]
    assert len(text) <= 300
    assert found == records[: len(found)]
    assert 0 < len(found) < 10
    assert f"Only {len(found)} of the 10 records" in sentence
    assert f"limit={len(found)}" in sentence
    # The cursor of the page would lead past those that aren't shown.
    assert '"k"' not in text + sentence


def test_an_oversized_record_is_cut() -> None:
    text, sentence = shown({"data": [{"id": "a" * 500}, {"id": "b"}]}, "list_assets", most=100)
    assert len(text) == 100
    assert "The first record was cut. Only 0 of the 2 records" in sentence
    assert "limit=1" in sentence


def test_one_record_comes_without_its_envelope() -> None:
    assert shown({"data": {"id": "a", "b": None}}, "read_asset") == ['{"id":"a"}']


def test_one_record_that_is_too_large_is_cut() -> None:
    text, sentence = shown({"data": {"id": "a" * 500}}, "read_asset", most=100)
    assert len(text) == 100
    assert sentence == "The answer was cut: these are 100 of its 509 characters."


def test_bodies_without_an_envelope_are_shown_unchanged() -> None:
    assert shown([1, 2], "list_event_types") == ["[1,2]"]
