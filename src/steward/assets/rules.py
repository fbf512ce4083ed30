from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from steward.asset_types.model import PropertyType, TelemetryProperty
from steward.assets.model import Asset, AssetStatus, NewAsset
from steward.kit.domain.problems import Invalid
from steward.kit.domain.shared_fields import new_record
from steward.kit.security.caller import TenantId


def new_asset(new: NewAsset, tenant: TenantId, now: int) -> Asset:
    return new_record(Asset, "ast", new, now, organization_id=tenant, status=AssetStatus.ONLINE)


# An asset's readings as people read them.


class ShownValue(msgspec.Struct, frozen=True):
    key: str
    name: str
    unit: str
    text: str
    # Whether it can be drawn as a line.
    drawn: bool


def shown_values(
    properties: Iterable[TelemetryProperty], readings: Mapping[str, Any] | None
) -> list[ShownValue]:
    """The keys of the type, in its order, and then other keys that the asset has reported."""
    reported = readings or {}
    found = [
        ShownValue(
            known.key,
            known.name,
            known.unit,
            value_text(reported.get(known.key)),
            drawn=known.type is not PropertyType.STRING,
        )
        for known in properties
    ]
    known_keys = {value.key for value in found}
    found += [
        ShownValue(key, key, "", value_text(value), drawn=isinstance(value, int | float))
        for key, value in reported.items()
        if key not in known_keys
    ]
    return found


def value_text(value: Any) -> str:
    """With at most two decimals, like values that the page updates by itself."""
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        text = f"{value:,.2f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)


def metadata_text(value: Any) -> str:
    """Values that aren't texts are shown as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def metadata_from_text(given: Iterable[tuple[str, str]], old: Mapping[str, Any]) -> dict[str, Any]:
    """Unchanged values keep their type; the rest are texts."""
    metadata: dict[str, Any] = {}
    for key, text in given:
        if key in metadata:
            raise Invalid("metadata", f"“{key}” stands there twice")
        kept = key in old and metadata_text(old[key]) == text
        metadata[key] = old[key] if kept else text
    return metadata
