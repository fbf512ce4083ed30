"""The pure rules of asset types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from steward.asset_types.model import EXAMPLE, PropertyType, TelemetryProperty
from steward.asset_types.rules import check, sensor_types
from steward.kit.domain.problems import Invalid


def _with_keys(keys: list[str]) -> list[TelemetryProperty]:
    return [TelemetryProperty(key=key, name="Something", type=PropertyType.FLOAT) for key in keys]


@given(st.lists(st.text(min_size=1, max_size=3), max_size=8, unique=True))
def test_different_keys_may_stand_together(keys: list[str]) -> None:
    kind = replace(EXAMPLE, properties=_with_keys(keys))
    assert check(kind) is kind


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=8))
def test_every_repeated_key_is_named(keys: list[str]) -> None:
    repeated = [index for index, key in enumerate(keys) if key in keys[:index]]
    if not repeated:
        return
    with pytest.raises(Invalid) as refusal:
        check(replace(EXAMPLE, properties=_with_keys(keys)))
    assert [detail.field for detail in refusal.value.details] == [
        f"properties[{index}].key" for index in repeated
    ]


def test_installed_types_have_names_of_their_own() -> None:
    installed = list(sensor_types(1767225600))
    assert len({kind.name for kind in installed}) == len(installed) == 5
    assert {(kind.created, kind.updated) for kind in installed} == {(1767225600, 1767225600)}
