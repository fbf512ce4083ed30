"""History as queried and shown: few points for any span of time, each with its extremes."""

from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from steward.asset_types.model import PropertyType
from steward.kit.domain.fields import Record, Seconds

DAY_SECONDS = 86_400
MAX_KEYS = 400
# For all keys together. As many keys as an asset may report get the usual resolution.
MAX_POINTS = 100_000
# Sums of values beyond this could leave the range of a double, which the database refuses. They are summed in
# a smaller unit; real values are never that large, but a broken device can send them.
LARGE = 1e290
LARGE_MEASURE = 2.0**64

Keys = Annotated[
    str | None,
    Meta(
        description="One key, or several with commas between them; all of them, when absent.",
        examples=["Temperature"],
    ),
]


class HistoryQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: Keys = None
    from_: Annotated[Seconds | None, Meta(description="Unix seconds; a day before `to`, when absent.")] = (
        msgspec.field(default=None, name="from")
    )
    to: Annotated[Seconds | None, Meta(description="Unix seconds, no longer included; now, when absent.")] = (
        None
    )
    resolution: Annotated[
        int, Meta(ge=1, le=2000, description="At most so many points per key.", examples=[500])
    ] = 500


class Window(NamedTuple):
    """Half open, in buckets from its beginning."""

    start: int
    end: int
    bucket_seconds: int


class HistoryPoint(Record, frozen=True):
    """The aggregate of a bucket's readings; `timestamp` is that of the first of them."""

    timestamp: Seconds
    min: float
    max: float
    average: float
    count: int


class KeyHistory(Record, frozen=True):
    """Booleans count as 1 and 0. A key that the asset type doesn't know is a float without a unit."""

    key: str
    name: str
    unit: str
    type: PropertyType
    points: list[HistoryPoint]


class History(Record, frozen=True, kw_only=True):
    asset_id: str
    from_: Seconds = msgspec.field(name="from")
    to: Seconds
    bucket_seconds: Annotated[int, Meta(ge=1, description="How long a time each point stands for at most.")]
    series: list[KeyHistory]


EXAMPLE = History(
    asset_id="ast_00064a1b2c3d4e5f60718293a4b5",
    from_=1767225600,
    to=1767312000,
    bucket_seconds=173,
    series=[
        KeyHistory(
            "Temperature",
            "Temperature",
            "°C",
            PropertyType.FLOAT,
            [HistoryPoint(1767225612, 21.3, 21.5, 21.4, 3), HistoryPoint(1767225792, 21.4, 21.4, 21.4, 1)],
        )
    ],
)
