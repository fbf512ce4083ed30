"""An asset as the intake sees it, read under its lock: how it is, and what its rules are in the middle of."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, ClassVar

from steward.alert_rules.evaluation import RuleStates, Situation, rule_states_of
from steward.assets.events import TELEMETRY_UPDATED
from steward.assets.model import AssetStatus
from steward.kit.db.pool import Database, Transaction
from steward.kit.db.sql import Row, lines, sql
from steward.kit.domain.fields import Record
from steward.kit.security.caller import TenantId

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
    layout: int | None
    connectivity_due: int | None
    rules_due: int | None
    rule_states: RuleStates
    # Whether anybody wants to hear of each reading.
    listened_to: bool

    @property
    def situation(self) -> Situation:
        return Situation(self.last_telemetry, self.last_seen, self.created, self.keep_alive)


_HELD = """SELECT a.organization_id, a.id, a.name, a.asset_type_id, a.location_id, a.status, a.connection_status,
                  a.last_telemetry, a.last_seen, a.created, a.keep_alive, a.series, a.layout, a.connectivity_due, a.rules_due,
                  a.rules_state"""

# In the order of Device's fields; what is asked of nearly every reading is answered without making one.
_SHOWN = """held.organization_id, held.id, held.name, held.asset_type_id, held.location_id, held.status,
            held.connection_status, held.connection_status AS is_online, held.last_telemetry, held.last_seen, held.created,
            coalesce(held.keep_alive, ty.keep_alive) AS keep_alive, ty.is_iot_device, held.series, held.layout,
            held.connectivity_due, held.rules_due, held.rules_state"""

_LISTENED_TO = f"""held.organization_id = ANY (ARRAY(
                       SELECT w.organization_id FROM webhooks w
                       WHERE w.organization_id = ANY (string_to_array($1, E'\n'))
                         AND '{TELEMETRY_UPDATED.name}' = ANY (w.types)))"""  # noqa: S608 (the parts are literals of ours)


def _holding(assets: str, listened_to: str) -> str:
    """Locks first and looks at the types then: joined at once, an asset would be looked up for every type there is."""
    return f"""WITH held AS MATERIALIZED ({_HELD} {assets})
               SELECT {_SHOWN}, {listened_to} AS listened_to
               FROM held JOIN asset_types ty ON ty.organization_id = held.organization_id AND ty.id = held.asset_type_id"""  # noqa: S608


# In the order of their identifiers, so that two who want the same assets wait for each other and not both for ever.
_LOCK = sql(
    _holding(
        """FROM unnest(string_to_array($1, E'\n'), string_to_array($2, E'\n')) AS wanted (organization_id, id)
           JOIN assets a ON a.organization_id = wanted.organization_id AND a.id = wanted.id
           ORDER BY a.organization_id, a.id
           FOR NO KEY UPDATE OF a""",
        _LISTENED_TO,
    ),
    across="readings of all tenants are stored together",
)

_LOCK_DUE = sql(
    _holding(
        """FROM assets a WHERE a.organization_id = $1 AND a.rules_due <= $2
           ORDER BY a.rules_due, a.id LIMIT $3 FOR NO KEY UPDATE OF a SKIP LOCKED""",
        "false",
    )
)

_LOCK_OF_TYPE = sql(
    _holding(
        """FROM assets a WHERE a.organization_id = $1 AND a.asset_type_id = $2 AND a.id > $3
           ORDER BY a.id LIMIT $4 FOR NO KEY UPDATE OF a""",
        "false",
    )
)

_BY_EXTERNAL_ID = sql(
    "SELECT external_id, id FROM assets WHERE organization_id = $1 AND external_id = ANY ($2::text[])"
)


async def lock_rows(tx: Transaction, keys: Sequence[DeviceKey]) -> list[Row]:
    """Those of the wanted ones that there are, as they are stored."""
    tenants, ids = zip(*keys, strict=True)
    return await tx.fetch(_LOCK, lines(tenants), lines(ids))


async def lock(tx: Transaction, tenant: TenantId, asset_id: str) -> list[Device]:
    return [device_of(row) for row in await lock_rows(tx, [(tenant, asset_id)])]


async def lock_due(tx: Transaction, tenant: TenantId, now: int, most: int) -> list[Device]:
    """Those with a rule whose timer has run out."""
    return [device_of(row) for row in await tx.fetch(_LOCK_DUE, tenant, now, most)]


async def lock_of_type(
    tx: Transaction, tenant: TenantId, asset_type_id: str, after: str, most: int
) -> list[Device]:
    """The next ones of a type, in the order of their identifiers."""
    found = [device_of(row) for row in await tx.fetch(_LOCK_OF_TYPE, tenant, asset_type_id, after, most)]
    return sorted(found, key=attrgetter("id"))


async def ids_by_external_id(db: Database, tenant: TenantId, external_ids: Sequence[str]) -> dict[str, str]:
    return {row[0]: row[1] for row in await db.fetch(_BY_EXTERNAL_ID, tenant, external_ids)}


def device_of(row: Row) -> Device:
    *known, state, listened_to = row
    return Device(*known, rule_states_of(state), listened_to)  # type: ignore[call-arg]  # columns in the order of the fields
