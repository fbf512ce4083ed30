import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.kit.db.cursors import Cursors
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption

CURSORS = Cursors(Encryption(bytes(32)))
ORG = TenantId("org_1")

texts = st.text(st.characters(codec="utf-8"), max_size=40)
filters = st.dictionaries(texts, texts | st.integers() | st.booleans(), max_size=3)


@given(texts, texts, filters, texts)
def test_sealed_values_can_be_opened(tenant: str, listing: str, given_filters: dict, last: str) -> None:
    cursor = CURSORS.seal(TenantId(tenant), listing, given_filters, last)
    assert CURSORS.open(TenantId(tenant), listing, given_filters, cursor) == last


@given(st.integers(min_value=0), st.integers(1, 255))
def test_a_changed_byte_is_detected(place: int, change: int) -> None:
    raw = bytearray(base64.urlsafe_b64decode(CURSORS.seal(ORG, "roles", {}, new_id("rol"))))
    raw[place % len(raw)] ^= change
    with pytest.raises(Invalid):
        CURSORS.open(ORG, "roles", {}, base64.urlsafe_b64encode(raw).decode())


@given(texts | st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_a_made_up_cursor_is_refused_without_an_error(made_up: str) -> None:
    with pytest.raises(Invalid):
        CURSORS.open(ORG, "roles", {}, made_up)


@given(st.integers(min_value=0))
def test_truncated_cursor_is_refused(length: int) -> None:
    cursor = CURSORS.seal(ORG, "roles", {}, "rol_1234567")
    with pytest.raises(Invalid):
        CURSORS.open(ORG, "roles", {}, cursor[: length % len(cursor)])


@pytest.mark.parametrize(
    ("tenant", "listing", "given_filters"),
    [
        ("org_2", "roles", {"status": "Open"}),
        ("org_1", "users", {"status": "Open"}),
        ("org_1", "roles", {}),
        ("org_1", "roles", {"status": "Closed"}),
        ("org_1", "roles", {"other": "Open"}),
        ("org_1", "roles", {"status": "Open", "other": "x"}),
    ],
)
def test_a_cursor_is_valid_for_one_organization_list_and_filter(
    tenant: str, listing: str, given_filters: dict
) -> None:
    cursor = CURSORS.seal(ORG, "roles", {"status": "Open"}, "rol_1")
    with pytest.raises(Invalid):
        CURSORS.open(TenantId(tenant), listing, given_filters, cursor)


def test_the_order_of_filters_does_not_matter() -> None:
    cursor = CURSORS.seal(ORG, "roles", {"a": 1, "b": 2}, "rol_1")
    assert CURSORS.open(ORG, "roles", {"b": 2, "a": 1}, cursor) == "rol_1"


def test_a_cursor_of_another_deployment_is_refused() -> None:
    other = Cursors(Encryption(b"x" * 32))
    with pytest.raises(Invalid):
        other.open(ORG, "roles", {}, CURSORS.seal(ORG, "roles", {}, "rol_1"))


@given(st.tuples(texts, texts), st.tuples(texts, texts))
def test_parts_of_a_cursor_are_not_confused(one: tuple[str, str], other: tuple[str, str]) -> None:
    cursor = CURSORS.seal(TenantId(one[0]), one[1], {}, "x")
    with contextlib.suppress(Invalid):
        CURSORS.open(TenantId(other[0]), other[1], {}, cursor)
        assert one == other
