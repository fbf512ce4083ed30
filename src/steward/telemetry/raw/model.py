"""Raw readings, and their queries."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Identifier, Record, Seconds
from steward.kit.domain.list_query import FilterQuery, PageQuery
from steward.telemetry.model import Keys

MAX_ASSETS = 200

From = Annotated[Seconds | None, Meta(description="Unix seconds; the beginning of the history, when absent.")]
To = Annotated[Seconds | None, Meta(description="Unix seconds, no longer included; now, when absent.")]


class RawQuery(PageQuery, frozen=True, kw_only=True):
    """For one asset, oldest first."""

    key: Keys = None
    from_: From = msgspec.field(default=None, name="from")
    to: To = None


class RawExportQuery(FilterQuery, frozen=True, kw_only=True):
    """For many assets; absent parameters don't narrow it."""

    asset_id: Annotated[
        Annotated[list[Identifier], Meta(max_length=MAX_ASSETS)] | None,
        Meta(description=f"Up to {MAX_ASSETS} assets, with commas between them."),
    ] = None
    asset_type_id: Identifier | None = None
    location_id: Annotated[
        Identifier | None, Meta(description="Assets in this location, and in everything within it.")
    ] = None
    key: Keys = None
    from_: From = msgspec.field(default=None, name="from")
    to: To = None
    arrived_from: Annotated[
        Seconds | None,
        Meta(
            description="Only readings that arrived since, whatever their time, and with them those of the same hours: "
            "for copies that are brought up to date. Take the moment at which the last export began.",
        ),
    ] = None
    resume_at: Annotated[
        str | None,
        Meta(
            description="`assetId:timestamp` of the last line of a stream that broke off: it goes on there, with that line.",
            examples=["ast_00064a1b2c3d4e5f60718293a4b5:1767225600"],
        ),
    ] = None


class RawReading(Record, frozen=True):
    """An asset's reading at one time. Booleans are 1 and 0."""

    timestamp: Seconds
    values: Annotated[
        Mapping[str, float], Meta(description="By key.", examples=[{"Temperature": 21.4, "Humidity": 48.5}])
    ]


class Series(NamedTuple):
    """Where an asset's readings are stored, and the meaning of positions in their arrays."""

    asset_id: str
    number: int
    keys: Sequence[str]


class RawSpan(NamedTuple):
    """Half open. `arrived` is the first hour of arrival that counts; None for all."""

    start: int
    end: int
    arrived: int | None = None


class StoredReading(NamedTuple):
    """Values in the order of the keys of their series; None where a value is missing."""

    at: int
    values: Sequence[float | None]


EXAMPLE = RawReading(1767225600, {"Temperature": 21.4, "Humidity": 48.5})
