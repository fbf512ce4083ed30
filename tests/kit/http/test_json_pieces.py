"""Large JSON is read in pieces, and becomes what it would have become in one."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.turns import counting_turns

from steward.kit.domain.problems import BadRequest
from steward.kit.http.json_pieces import LEFT_OUT, PIECE, pieces, read_in_pieces
from steward.kit.http.repeated_keys import refuse_repeated_keys

NAMES = st.text('ab"\\[]{},: é', max_size=3)
SCALARS = st.none() | st.booleans() | st.integers(0, 999) | NAMES
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=60,
)
SIGNS = st.sampled_from([",", "[", "]", "{", "}", '"', ":", "\\", "1", '"a":1,', " "])


def read(body: bytes, *, piece: int = 8) -> Any:
    return asyncio.run(read_in_pieces(body, size=piece))


def read_at_once(body: bytes) -> Any:
    """The same as one."""
    try:
        value = msgspec.json.decode(body)
        refuse_repeated_keys(body)
    except (msgspec.DecodeError, BadRequest):
        return BadRequest
    return value


@given(VALUES, st.sampled_from([(",", ":"), (" , ", " :\n ")]), st.booleans())
def test_the_pieces_become_the_whole(value: Any, separators: tuple[str, str], ascii_only: bool) -> None:
    body = json.dumps(value, separators=separators, ensure_ascii=ascii_only).encode()
    found = read(body)
    assert found == value
    assert json.dumps(found) == json.dumps(value), "in the same order, too"


@given(VALUES, st.lists(st.tuples(st.integers(0, 400), st.integers(0, 1), SIGNS), min_size=1, max_size=3))
def test_bodies_refused_as_one_chunk_are_refused_in_pieces(
    value: Any, faults: list[tuple[int, int, str]]
) -> None:
    text = json.dumps(value)
    for place, taken, put in faults:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + taken :]
    body = text.encode()
    try:
        found = read(body)
    except BadRequest:
        found = BadRequest
    assert found == read_at_once(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": 1, "a": 2}',
        b'{"a": 1, "b": [1, 2, 3, 4, 5, 6], "c": [1, 2, 3, 4], "a": 2}',
        b'[{"x": {"long": "text", "other": 1, "a": 1, "more": [1, 2, 3, 4], "a": 2}}]',
    ],
)
def test_a_key_that_is_repeated_in_another_piece_is_named(body: bytes) -> None:
    with pytest.raises(BadRequest, match='names the key "a" twice'):
        read(body)


@pytest.mark.parametrize(
    "body",
    [
        msgspec.json.encode({"metadata": {f"key {number}": 1 for number in range(60_000)}}),
        msgspec.json.encode({"values": [[[]]] * 100_000}),
        msgspec.json.encode([{"a": {"b": {"c": "long " * 40}}} for _ in range(4_000)]),
        msgspec.json.encode({"numbers": [1] * 400_000}),
        msgspec.json.encode([[[["a"] * 20] * 20] * 20] * 20),
    ],
    ids=["a map", "lists", "objects", "numbers", "lists of lists"],
)
def test_no_piece_is_much_longer_than_another(body: bytes) -> None:
    async def sizes() -> list[int]:
        return [len(piece) async for _, piece in pieces(body)]

    found = asyncio.run(sizes())
    assert len(found) >= len(body) // PIECE // 2
    # Behind the end of a piece follows no more than what is looked at in one go.
    assert max(found) < 3 * PIECE
    assert read(body, piece=PIECE) == msgspec.json.decode(body)


@pytest.mark.parametrize("name", ["k" * 3_000, "k" * 200_000])
def test_repeated_parts_of_pieces_are_detected(name: str) -> None:
    body = msgspec.json.encode({name: {"numbers": [1] * 200_000}})
    total = 0

    async def read_all() -> None:
        nonlocal total
        async for _, piece in pieces(body):
            total += len(piece)

    with suppress(BadRequest):
        asyncio.run(read_all())
    assert total < 1.5 * len(body)


def test_cuts_are_made_only_where_they_are_allowed() -> None:
    texts = [f"text {number}" for number in range(100)]
    items = [{"create": {"texts": texts, "number": number}} for number in range(9)]

    async def found() -> list[Any]:
        body = msgspec.json.encode({"before": texts, "items": items, "behind": texts})
        within = (b"{", b'"items":[')
        return [msgspec.json.decode(piece) async for _, piece in pieces(body, within, size=8)]

    first, *others, last = asyncio.run(found())
    assert first == {"before": texts, "items": items[:1]}
    assert others == [{"items": [item]} for item in items[1:-1]]
    assert last == {"items": items[-1:], "behind": texts}


def test_unknown_members_beside_the_items_are_skipped() -> None:
    """Decoding it to find its end would be one long step."""
    small, large = {"create": {"title": "Leak"}}, {"create": {"values": ["x" * 100] * 11_000}}

    async def found(items: list[Any]) -> list[Any]:
        body = msgspec.json.encode({"atomic": True, "items": items, "behind": 1})
        parts = [piece async for _, piece in pieces(body, (b"{", b'"items":['))]
        assert max(map(len, parts)) < 3 * PIECE
        read = [msgspec.json.decode(part) for part in parts]
        assert (read[0]["atomic"], read[-1]["behind"]) == (True, 1)
        return [item for part in read for item in part["items"]]

    left_out = msgspec.json.decode(LEFT_OUT)
    for items in ([large], [large, small], [small, large, large, small], [*[small] * 500, large, small]):
        expected = [left_out if item is large else item for item in items]
        assert asyncio.run(found(items)) == expected


def test_other_requests_run_while_a_large_body_is_read() -> None:
    body = msgspec.json.encode({f"key {number}": [number] for number in range(50_000)})
    _, turns = asyncio.run(counting_turns(read_in_pieces(body)))
    assert turns > 1


@pytest.mark.parametrize("body", [b"[1," * 20_000, b'{"a":' * 20_000, b"[" * 50_000])
def test_deep_nesting_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        read(body, piece=PIECE)
