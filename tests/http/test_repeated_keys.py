"""An object that names a key twice is refused, wherever in the body it lies and however the key is written."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.organizations import Organization

from steward.kit.domain.problems import BadRequest
from steward.kit.http.repeated_keys import refuse_repeated_keys

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1, "a": 1}',
        b'{"a": 1, "b": 2, "a": {"c": 3}}',
        b'{"a": {"b": [1, {"c": 1, "d": 2, "c": 3}]}}',
        b'[{"a": 1}, {"a": 1, "a": 2}]',
        b'{"a": 1, "\\u0061": 2}',
        b'{"": 1, "": 2}',
        b'{"a": "x:y", "a": "x:y"}',
        # As many colons are won as are lost.
        b'{"a": 1, "a": "\\u003a"}',
        b'{"a": 1, "a": "\\u003A"}',
        b'{"a:": 1, "a\\u003a": 1}',
        b'{"a": NaN, "a": 1}',
        b'{"a": 123456789012345678901234567890, "a": 1}',
    ],
)
def test_a_repeated_key_is_named(body: bytes) -> None:
    with pytest.raises(BadRequest) as caught:
        refuse_repeated_keys(body)
    assert caught.value.message.startswith("The body names the key ")


@given(VALUES, st.booleans(), st.sampled_from([(",", ":"), (" , ", " :\n ")]))
def test_bodies_without_repeated_keys_pass(value: Any, ascii_only: bool, separators: tuple[str, str]) -> None:
    refuse_repeated_keys(json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode())


@given(VALUES, st.text(st.characters(codec="utf-8"), max_size=20), VALUES, st.booleans())
def test_bodies_with_a_repeated_key_are_refused(inner: Any, key: str, last: Any, ascii_only: bool) -> None:
    name, first, second = (json.dumps(each, ensure_ascii=ascii_only) for each in (key, inner, last))
    with pytest.raises(BadRequest):
        refuse_repeated_keys(f'{{"readings": [{{{name}: {first}, {name}: {second}}}]}}'.encode())


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"a" 1:2:', b"\xff::", b"[" * 5000 + b"::", b'{"a": 1, "b": "\\u003a"}']
)
def test_invalid_json_is_left_to_the_decoder(body: bytes) -> None:
    refuse_repeated_keys(body)


def test_long_keys_are_not_sent_back_whole() -> None:
    key = "k" * 10_000
    with pytest.raises(BadRequest) as caught:
        refuse_repeated_keys(f'{{"{key}": 1, "{key}": 2}}'.encode())
    assert len(caught.value.message) < 200


def test_no_route_accepts_a_repeated_key(shared_organization: Organization) -> None:
    path = shared_organization.path
    for place, body in {
        f"{path}/work-orders": b'{"title": "Leak", "title": "Fire"}',
        f"{path}/roles": b'{"name": "x", "permissions": [], "odd": {"a": 1, "a": 2}}',
        f"{path}/assets/ast_none/telemetry": b'{"values": {"T": 1, "T": 2}}',
        f"{path}/telemetry": b'{"readings": [{"assetId": "a", "values": {"T": 1, "T": "x"}}]}',
    }.items():
        answer = shared_organization.api.post(
            place, content=body, headers={"content-type": "application/json"}
        )
        assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest"), place
        assert "twice" in answer.json()["message"]
