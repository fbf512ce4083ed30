"""What is wrong with a value: every fault, each by its whole path, and in words for people."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, inspect

from steward.kit.db.pool import Pool
from steward.kit.domain.fields import MUST, Body, Email, Name
from steward.kit.domain.problems import MAX_FAULTS, ErrorDetail, Invalid
from steward.kit.domain.validation import invalid
from steward.kit.http.route import NoBody, Route
from steward.kit.security.encryption import Encryption
from steward.settings import Settings
from steward.tokens.signing import new_signing_key
from steward.wiring.parts import assemble
from steward.wiring.routes import all_routes


class Colour(StrEnum):
    RED = "Red"
    BLUE = "Blue"


class Target(Body, frozen=True):
    response_minutes: Annotated[int, Meta(ge=1, le=100)]
    factor: Annotated[float, Meta(gt=0, lt=2)] = 1.0


class Dog(Body, frozen=True, tag="dog", tag_field="kind"):
    bark: bool


class Cat(Body, frozen=True, tag="cat", tag_field="kind"):
    lives: Annotated[int, Meta(ge=0)]


class Thing(Body, frozen=True):
    name: Name
    email: Email | None = None
    colour: Colour = Colour.RED
    mode: Literal["on", "off"] | None = None
    done: bool = False
    size: Annotated[int, Meta(le=10)] | None = None
    value: Annotated[bool | int | float, Meta(extra={MUST: "be a number or a boolean"})] = 0
    targets: dict[Colour, Target] = {}
    items: Annotated[list[Target], Meta(max_length=50)] = []
    grid: list[list[int]] = []
    pets: list[Dog | Cat] = []
    words: Annotated[list[Annotated[str, Meta(min_length=2, max_length=3)]], Meta(min_length=1)] | None = None
    free: dict[str, Any] = {}
    not_taken = {"id": "is given by the service"}


def faults(body: object) -> list[tuple[str, str]]:
    text = json.dumps(body).encode()
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(text, type=Thing)
    return [
        (detail.field, detail.message) for detail in invalid(Thing, json.loads(text), caught.value).details
    ]


ONE = {"responseMinutes": 5}


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ([], "", "must be an object"),
        ({}, "name", "is required"),
        ({"name": None}, "name", "must not be null"),
        ({"name": 5}, "name", "must be a text"),
        ({"name": ""}, "name", "must not be empty"),
        ({"name": " \t"}, "name", "must not be blank"),
        ({"name": "x" * 201}, "name", "must have at most 200 characters"),
        ({"name": "x", "nmae": 1}, "nmae", "is not a field that this takes"),
        ({"name": "x", "id": "y"}, "id", "is given by the service"),
        ({"name": "x", "email": "ada"}, "email", "must be an e-mail address, such as ada@example.com"),
        ({"name": "x", "email": 5}, "email", "must be a text or null"),
        ({"name": "x", "colour": "Green"}, "colour", "must be one of Red, Blue"),
        ({"name": "x", "colour": 5}, "colour", "must be one of Red, Blue"),
        ({"name": "x", "mode": "maybe"}, "mode", "must be one of off, on, null"),
        ({"name": "x", "done": "yes"}, "done", "must be true or false"),
        ({"name": "x", "done": 1}, "done", "must be true or false"),
        ({"name": "x", "size": 11}, "size", "must be at most 10"),
        ({"name": "x", "size": 1.5}, "size", "must be a whole number or null"),
        ({"name": "x", "size": True}, "size", "must be a whole number or null"),
        ({"name": "x", "value": "5"}, "value", "must be a number or a boolean"),
        ({"name": "x", "targets": {"Red": {}}}, "targets.Red.responseMinutes", "is required"),
        (
            {"name": "x", "targets": {"Red": {"responseMinutes": 0}}},
            "targets.Red.responseMinutes",
            "must be from 1 to 100",
        ),
        ({"name": "x", "targets": {"Green": ONE}}, "targets.Green", "must be one of Red, Blue"),
        ({"name": "x", "targets": []}, "targets", "must be an object"),
        ({"name": "x", "items": {}}, "items", "must be a list"),
        (
            {"name": "x", "items": [ONE, ONE, ONE, {"responseMinutes": "5"}]},
            "items[3].responseMinutes",
            "must be a whole number",
        ),
        ({"name": "x", "items": [ONE | {"factor": 0}]}, "items[0].factor", "must be greater than 0"),
        ({"name": "x", "items": [ONE | {"factor": 2}]}, "items[0].factor", "must be less than 2"),
        ({"name": "x", "items": [ONE] * 51}, "items", "must have at most 50 entries"),
        ({"name": "x", "grid": [[1], [2, "3"]]}, "grid[1][1]", "must be a whole number"),
        ({"name": "x", "pets": [{"kind": "cow"}]}, "pets[0].kind", "must be one of dog, cat"),
        ({"name": "x", "pets": [{}]}, "pets[0].kind", "is required"),
        ({"name": "x", "pets": [{"kind": "dog"}]}, "pets[0].bark", "is required"),
        ({"name": "x", "pets": [{"kind": "cat", "lives": -1}]}, "pets[0].lives", "must be at least 0"),
        ({"name": "x", "pets": ["cat"]}, "pets[0]", "must be an object"),
        ({"name": "x", "words": []}, "words", "must not be empty"),
        ({"name": "x", "words": ["a"]}, "words[0]", "must have at least 2 characters"),
    ],
)
def test_an_error_names_its_field_and_reason(body: object, field: str, message: str) -> None:
    assert faults(body) == [(field, message)]


def test_all_errors_are_reported_up_to_twenty() -> None:
    body = {"email": "x", "odd": 1, "done": None, "items": [{}, {"responseMinutes": 0}]}
    assert [field for field, _ in faults(body)] == [
        "odd",
        "name",
        "email",
        "done",
        "items[0].responseMinutes",
        "items[1].responseMinutes",
    ]
    assert len(faults({"name": "x", "items": [{}] * 40})) == MAX_FAULTS


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ([("title", "is required")], "title is required."),
        ([("parentId", "a location can't lie in itself")], "parentId: a location can't lie in itself."),
        ([("", "The body holds too much.")], "The body holds too much."),
        ([("", "must be an object")], "The body must be an object."),
        ([("exceptions", "leave no date")], "exceptions leave no date."),
        ([("a", "is required"), ("b", "is wrong")], "a is required. 1 more fault is named in details."),
        ([("a", "is wrong")] * 4, "a is wrong. 3 more faults are named in details."),
    ],
)
def test_the_message_of_all_is_a_sentence(details: list[tuple[str, str]], message: str) -> None:
    assert Invalid.of(ErrorDetail(field, text) for field, text in details).message == message


def _routes() -> tuple[Route, ...]:
    url = "postgresql://"
    return all_routes(assemble(Settings(), Encryption(bytes(32)), url, Pool(url, 1), new_signing_key()))


ROUTES = _routes()
MODELS = sorted(
    {model for route in ROUTES for model in (route.body, route.query)} - {NoBody},
    key=lambda model: model.__qualname__,
)
# What only programmers say.
_JARGON = re.compile(
    r"`|\$\.|\\[dSsw]|\^|regex|Expected|NoneType|msgspec|array|\bstr\b|\bint\b|\bdict\b|\bA [aeio]"
)


def _examples(kind: inspect.Type, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that are nearly right, so that faults lie deep as well."""
    odd = st.sampled_from(
        [None, True, 0, -1, 10**9, 10**30, 1.5, "", " ", "x", "Red", "x" * 11_000, [], [None], {}, {"odd": 1}]
    )
    match kind:
        case inspect.Metadata():
            return _examples(kind.type, depth)
        case inspect.UnionType():
            return st.one_of(odd, *(_examples(part, depth) for part in kind.types))
        case inspect.StructType() if depth < 4:
            fields = {field.encode_name: _examples(field.type, depth + 1) for field in kind.fields}
            tagged = st.just({kind.tag_field: kind.tag} if kind.tag_field else {})
            return st.one_of(
                odd,
                st.builds(lambda tag, more: tag | more, tagged, st.fixed_dictionaries({}, optional=fields)),
            )
        case inspect.DictType() if depth < 4:
            return st.one_of(
                odd,
                st.dictionaries(
                    st.sampled_from(["a", "High", "T" * 300]),
                    _examples(kind.value_type, depth + 1),
                    max_size=2,
                ),
            )
        case inspect.ListType() if depth < 4:
            return st.one_of(odd, st.lists(_examples(kind.item_type, depth + 1), max_size=3))
        case inspect.EnumType():
            return st.one_of(odd, st.sampled_from([member.value for member in kind.cls]))
    return odd


@cache
def _examples_of(model: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    return _examples(inspect.type_info(model))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_refusals_are_explained_in_plain_words(data: st.DataObject) -> None:
    model = data.draw(st.sampled_from(MODELS))
    value = data.draw(_examples_of(model))
    refusal = _refusal(value, model)
    if refusal is None:
        return
    found = invalid(model, value, refusal)
    assert "is not a value that this takes" not in {detail.message for detail in found.details}, refusal
    for text in (found.message, *(detail.message for detail in found.details)):
        assert not _JARGON.search(text), text


def _refusal(value: Any, model: type[msgspec.Struct]) -> msgspec.ValidationError | None:
    try:
        msgspec.convert(value, model)
    except msgspec.ValidationError as error:
        return error
    return None


def _patterns(kind: inspect.Type, must: bool, seen: set[type]) -> Iterator[str]:
    """Every pattern within a type that has no description."""
    match kind:
        case inspect.Metadata():
            yield from _patterns(kind.type, must or MUST in (kind.extra or {}), seen)
        case inspect.UnionType():
            for part in kind.types:
                yield from _patterns(part, must, seen)
        case inspect.StructType() if kind.cls not in seen:
            seen.add(kind.cls)
            for field in kind.fields:
                yield from _patterns(field.type, must=False, seen=seen)
        case inspect.DictType():
            yield from _patterns(kind.key_type, must=False, seen=seen)
            yield from _patterns(kind.value_type, must=False, seen=seen)
        case inspect.CollectionType():
            yield from _patterns(kind.item_type, must=False, seen=seen)
        case inspect.StrType() if kind.pattern not in {None, r"\S"} and not must:
            yield str(kind.pattern)


def test_every_pattern_has_a_description() -> None:
    seen: set[type] = set()
    assert [
        (model.__name__, pattern)
        for model in MODELS
        for pattern in _patterns(inspect.type_info(model), must=False, seen=seen)
    ] == []
    assert list(_patterns(inspect.type_info(_Unsaid), must=False, seen=set())) == ["^a+$"]


class _Unsaid(Body, frozen=True):
    parts: list[Annotated[str, Meta(pattern="^a+$")]] = []
