import contextlib
import json
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.kit.domain.fields import Body, Name
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import BadRequest, Invalid, UnsupportedMediaType
from steward.kit.http.decoding import read_body, read_query

JSON = "application/json"


class Part(Body, frozen=True):
    key: Annotated[str, msgspec.Meta(min_length=1)]


class Thing(Body, frozen=True):
    name: Name
    note: str | None = None
    is_new: bool = False
    parts: list[Part] = []


class ThingQuery(PageQuery, frozen=True):
    status: str | None = None
    is_new: bool | None = None


def test_a_body_becomes_its_struct() -> None:
    body = {"name": "Lift", "isNew": True, "parts": [{"key": "a"}]}
    read = read_body(Thing, JSON, json.dumps(body).encode())
    assert read == Thing(name="Lift", is_new=True, parts=[Part(key="a")])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x", "note": 5}, "note"),
        ({"name": "x", "is_new": True}, "is_new"),
        ({"name": "x", "parts": [{"key": "a"}, {"key": ""}]}, "parts[1].key"),
        ({"name": "x", "parts": [{}]}, "parts[0].key"),
        ({"name": "x", "parts": [{"key": "a", "odd": 1}]}, "parts[0].odd"),
        ({"name": "x", "parts": {}}, "parts"),
        ([], ""),
    ],
)
def test_a_wrong_body_names_the_place(body: object, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_body(Thing, JSON, json.dumps(body).encode())
    assert [detail.field for detail in caught.value.details] == [field]
    assert caught.value.details[0].message


@pytest.mark.parametrize(
    "body", [b"{", b"nonsense", b'{"name": "x"} {}', b"\xff", b'{"name": "\xff"}', b'{"name": "\n"}']
)
def test_invalid_json_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        read_body(Thing, JSON, body)


@pytest.mark.parametrize("content_type", ["text/plain", "application/json; charset=utf-16", "", "json"])
def test_other_media_types_are_refused_where_there_is_a_body(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType):
        read_body(Thing, content_type, b'{"name": "x"}')
    with pytest.raises(Invalid):
        read_body(Thing, content_type, b"")


@given(st.text(st.characters(codec="utf-8"), max_size=50), st.booleans())
def test_a_nul_character_is_refused_and_nothing_else_is(text: str, ascii_only: bool) -> None:
    body = json.dumps({"name": "x", "note": text}, ensure_ascii=ascii_only).encode()
    if "\0" in text:
        with pytest.raises(Invalid):
            read_body(Thing, JSON, body)
    else:
        assert read_body(Thing, JSON, body).note == text


@given(st.binary(max_size=200))
def test_any_body_is_decoded_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadRequest, Invalid):
        assert isinstance(read_body(Thing, JSON, body), Thing)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ThingQuery()),
        ("limit=5", ThingQuery(limit=5)),
        ("status=a+b%20c%2Bd", ThingQuery(status="a b c+d")),
        ("status=%C3%A4", ThingQuery(status="ä")),
        ("isNew=true&limit=100", ThingQuery(is_new=True, limit=100)),
        ("lastEvaluatedKey=a%3D%3D", ThingQuery(last_evaluated_key="a==")),
    ],
)
def test_a_query_becomes_its_struct(query: str, expected: ThingQuery) -> None:
    assert read_query(ThingQuery, query) == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=abc", "limit"),
        ("limit=", "limit"),
        ("limit=1.0", "limit"),
        ("isNew=perhaps", "isNew"),
        ("unknown=1", "unknown"),
        ("is_new=true", "is_new"),
        ("limit=5&limit=6", "limit"),
        ("status=%00", ""),
        ("status=%ff", ""),
    ],
)
def test_a_wrong_query_names_the_parameter(query: str, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_query(ThingQuery, query)
    assert [detail.field for detail in caught.value.details] == [field]


@given(st.text(max_size=60))
def test_any_query_is_decoded_or_refused(query: str) -> None:
    with contextlib.suppress(Invalid):
        assert isinstance(read_query(ThingQuery, query), ThingQuery)


class Counted(msgspec.Struct, forbid_unknown_fields=True):
    count: Annotated[int, msgspec.Meta(ge=1, le=100)]
    counts: list[int] = []
    maybe: int | None = None
    by_name: dict[str, int] = {}
    free: dict[str, Any] = {}
    measured: float = 0.0


@pytest.mark.parametrize("written", ["60", "60.0", "6e1", "600e-1"])
def test_a_whole_number_is_one_however_it_is_written(written: str) -> None:
    body = f"""{{"count": {written}, "counts": [1, {written}], "maybe": {written}, "by_name": {{"a": {written}}},
                 "free": {{"a": 60.0}}, "measured": 60.0}}""".encode()
    read = read_body(Counted, JSON, body)
    assert read == Counted(60, [1, 60], 60, {"a": 60}, {"a": 60.0}, 60.0)
    assert [type(value) for value in (read.count, read.counts[1], read.maybe)] == [int] * 3
    assert (type(read.free["a"]), type(read.measured)) == (float, float)


@pytest.mark.parametrize("written", ["60.5", "1e300", '"60"', "true", "101.0"])
def test_invalid_integers_are_refused_with_their_position(written: str) -> None:
    body = f'{{"count": {written}, "maybe": 1.0, "counts": [1.0, 0.5]}}'.encode()
    with pytest.raises(Invalid) as refusal:
        read_body(Counted, JSON, body)
    assert {detail.field for detail in refusal.value.details} == {"count", "counts[1]"}
