"""Assets. People maintain what an asset is and where; readings and rules set its status."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from steward.asset_types.model import DAY, KeepAlive
from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain import archiving
from steward.kit.domain.fields import (
    ArchivedAt,
    Body,
    ExternalId,
    Identifier,
    Metadata,
    Name,
    Record,
    Seconds,
    Text,
)
from steward.kit.domain.list_query import Archived, Several, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.caller import SOME_TENANT
from steward.locations.model import LocatedPageQuery


class AssetStatus(StrEnum):
    """A new asset is Online until a rule first evaluates it."""

    ONLINE = "Online"
    NORMAL = "Normal"
    WARNING = "Warning"
    CRITICAL = "Critical"


OwnKeepAlive = Annotated[KeepAlive | None, Meta(description="Seconds; null takes the asset type's.")]


class Asset(Record, frozen=True):
    filter_name: ClassVar[str | None] = "assetId"
    filterable: ClassVar[tuple[str, ...]] = ("location_id", "asset_type_id")
    # Every reading writes these. They don't count for If-Match, or a live device could never be changed.
    volatile_fields: ClassVar[tuple[str, ...]] = ("last_telemetry", "last_seen")

    id: str
    name: str
    description: str | None
    external_id: Annotated[str | None, Meta(description="What other systems call it.")]
    organization_id: str
    asset_type_id: str
    location_id: str | None
    status: Annotated[AssetStatus, Meta(description="Set by alert rules; `Online` until the first of them.")]
    connection_status: Annotated[
        bool | None, Meta(description="Whether readings keep coming; null before the first check.")
    ]
    is_online: Annotated[bool | None, Meta(description="The same as connectionStatus; use that.")]
    metadata: Annotated[dict[str, Any], Meta(description="Free-form: manufacturer, model, serialNumber …")]
    last_telemetry: Annotated[dict[str, Any] | None, Meta(description="Null before the first reading.")]
    last_seen: Annotated[Seconds | None, Meta(description="Time of the last reading.")]
    keep_alive: Annotated[
        int | None, Meta(description="The asset's own, or else its type's, in seconds.", examples=[DAY])
    ]
    archived_at: ArchivedAt
    created: Seconds
    updated: Annotated[Seconds, Meta(description="Time of the last change, not counting readings.")]


_BY_CONNECTIVITY = "is set by the connectivity check and can't be set by callers"
_BY_TELEMETRY = "is set by the asset's readings and can't be set by callers"
_NOT_TAKEN = {
    "status": "is set by alert rules and can't be set by callers",
    "connectionStatus": _BY_CONNECTIVITY,
    "isOnline": _BY_CONNECTIVITY,
    "lastTelemetry": _BY_TELEMETRY,
    "lastSeen": _BY_TELEMETRY,
    **archiving.NOT_TAKEN,
}


class NewAsset(Body, frozen=True):
    not_taken = _NOT_TAKEN

    name: Name
    asset_type_id: Identifier
    description: Text | None = None
    external_id: ExternalId | None = None
    location_id: Identifier | None = None
    metadata: Metadata = {}
    keep_alive: OwnKeepAlive = None


@changes_of(NewAsset)
class AssetChanges(Body, frozen=True):
    """`metadata` replaces the whole object."""

    not_taken = _NOT_TAKEN

    asset_type_id: Identifier | UnsetType = UNSET
    keep_alive: KeepAlive | UnsetType | None = UNSET


class AssetQuery(LocatedPageQuery, frozen=True):
    asset_type_id: Several[Identifier] | None = None
    status: Several[AssetStatus] | None = None
    connection_status: bool | None = None
    external_id: ExternalId | None = None
    updated_after: UpdatedAfter = None
    archived: Archived = False
    q: Annotated[
        str | None, Meta(description="Words to be found in name, externalId or metadata.serialNumber.")
    ] = None


CONSTRAINTS: Constraints = {
    "assets_type": Reference("assetTypeId", "asset type", "assets"),
    "assets_location": Reference("locationId", "location", "assets"),
    "assets_external_id_unique": Taken("An asset with this externalId exists already."),
}


EXAMPLE = example_of(
    Asset,
    id="ast_00064a1b2c3d4e5f60718293a4b5",
    name="Climate sensor 2.14",
    external_id="BMS-0042",
    organization_id=SOME_TENANT,
    asset_type_id="aty_00064a1b2c3d4e5f60718293a4b5",
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    status=AssetStatus.NORMAL,
    connection_status=True,
    is_online=True,
    metadata={"manufacturer": "Milesight", "model": "EM300-TH", "serialNumber": "6136A02D"},
    last_telemetry={"Temperature": 21.4, "Humidity": 48.5},
    last_seen=1767225600,
    keep_alive=DAY,
)
