"""An asset as the intake sees it, read under its lock: how it is, and what its rules are in the middle of."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from steward.alert_rules.judging import Situation, Watches, watches_of
from steward.assets.model import AssetStatus
from steward.assets.told import TELEMETRY_UPDATED
from steward.kit.caller import TenantId
from steward.kit.db import Database, Transaction
from steward.kit.fields import Record
from steward.kit.sql import Row, sql

DeviceKey = tuple[str, str]


class Device(Record, frozen=True):
    """Its first fields are those of an asset, so that events can be about it."""

    filter_name: ClassVar[str | None] = "assetId"

    organization_id: TenantId
    id: str
    name: str
    asset_type_id: str
    location_id: str | None
    status: AssetStatus
    connection_status: bool | None
    is_online: bool | None
    last_telemetry: dict[str, Any] | None
    last_seen: int | None
    created: int
    keep_alive: int
    is_iot_device: bool
    series: int | None
    connectivity_due: int | None
    rules_due: int | None
    watches: Watches
    # Whether anybody wants to hear of each reading.
    listened_to: bool

    @property
    def key(self) -> DeviceKey:
        return (self.organization_id, self.id)

    @property
    def situation(self) -> Situation:
        return Situation(self.last_telemetry, self.last_seen, self.created, self.keep_alive)


_COLUMNS = """a.organization_id, a.id, a.name, a.asset_type_id, a.location_id, a.status, a.connection_status,
              a.connection_status AS is_online, a.last_telemetry, a.last_seen, a.created,
              coalesce(a.keep_alive, ty.keep_alive) AS keep_alive, ty.is_iot_device, a.series, a.connectivity_due,
              a.rules_due, a.rules_state"""

_LISTENED_TO = f"""a.organization_id = ANY (ARRAY(
                       SELECT w.organization_id FROM webhooks w
                       WHERE w.organization_id = ANY ($1::text[]) AND '{TELEMETRY_UPDATED.name}' = ANY (w.types)))"""  # noqa: S608 (the parts are literals of ours)

# In the order of their identifiers, so that two who want the same assets wait for each other and not both for ever.
_LOCK = sql(
    f"""SELECT {_COLUMNS}, {_LISTENED_TO} AS listened_to
        FROM unnest($1::text[], $2::text[]) AS wanted (organization_id, id)
        JOIN assets a ON a.organization_id = wanted.organization_id AND a.id = wanted.id
        JOIN asset_types ty ON ty.organization_id = a.organization_id AND ty.id = a.asset_type_id
        ORDER BY a.organization_id, a.id
        FOR NO KEY UPDATE OF a""",  # noqa: S608
    across="readings of all tenants are stored together",
)

_LOCK_DUE = sql(
    f"""SELECT {_COLUMNS}, false AS listened_to
        FROM assets a JOIN asset_types ty ON ty.organization_id = $1 AND ty.id = a.asset_type_id
        WHERE a.organization_id = $1 AND a.rules_due <= $2
        ORDER BY a.rules_due, a.id
        LIMIT $3
        FOR NO KEY UPDATE OF a SKIP LOCKED""",  # noqa: S608
)

_LOCK_OF_TYPE = sql(
    f"""SELECT {_COLUMNS}, false AS listened_to
        FROM assets a JOIN asset_types ty ON ty.organization_id = $1 AND ty.id = a.asset_type_id
        WHERE a.organization_id = $1 AND a.asset_type_id = $2 AND a.id > $3
        ORDER BY a.id
        LIMIT $4
        FOR NO KEY UPDATE OF a""",  # noqa: S608
)

_BY_EXTERNAL_ID = sql(
    "SELECT external_id, id FROM assets WHERE organization_id = $1 AND external_id = ANY ($2::text[])"
)


async def lock(tx: Transaction, keys: Iterable[DeviceKey]) -> list[Device]:
    """Those of the wanted ones that there are."""
    wanted = list(keys)
    rows = await tx.fetch(_LOCK, [organization for organization, _ in wanted], [id for _, id in wanted])
    return [_device(row) for row in rows]


async def lock_due(tx: Transaction, tenant: TenantId, now: int, most: int) -> list[Device]:
    """Those with a rule whose timer has run out."""
    return [_device(row) for row in await tx.fetch(_LOCK_DUE, tenant, now, most)]


async def lock_of_type(
    tx: Transaction, tenant: TenantId, asset_type_id: str, after: str, most: int
) -> list[Device]:
    """The next ones of a type, in the order of their identifiers."""
    return [_device(row) for row in await tx.fetch(_LOCK_OF_TYPE, tenant, asset_type_id, after, most)]


async def ids_by_external_id(db: Database, tenant: TenantId, external_ids: Sequence[str]) -> dict[str, str]:
    return {row[0]: row[1] for row in await db.fetch(_BY_EXTERNAL_ID, tenant, external_ids)}


def _device(row: Row) -> Device:
    *known, state, listened_to = row
    return Device(*known, watches_of(state), listened_to)  # type: ignore[call-arg]  # columns in the order of the fields
