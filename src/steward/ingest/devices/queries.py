from collections.abc import Collection, Sequence
from operator import attrgetter

from steward.alert_rules.evaluation import rule_states_of
from steward.assets.events import TELEMETRY_UPDATED
from steward.ingest.devices.model import Device, DeviceKey
from steward.kit.db.query import Database, Row, Transaction, lines, sql
from steward.kit.db.sharding import among, by_shard, tenants_to_name
from steward.kit.jobs.drain import DueRecord
from steward.kit.security.caller import TenantId

_LOCKED = """SELECT a.organization_id, a.id, a.name, a.asset_type_id, a.location_id, a.status, a.connection_status,
                  a.last_telemetry, a.last_seen, a.created, a.keep_alive, a.series, a.layout, a.connectivity_due, a.rules_due,
                  a.rules_state"""

# In the order of Device's fields; what is asked of nearly every reading is answered without making one.
_DEVICE = """locked.organization_id, locked.id, locked.name, locked.asset_type_id, locked.location_id, locked.status,
            locked.connection_status, locked.connection_status AS is_online, locked.last_telemetry, locked.last_seen, locked.created,
            coalesce(locked.keep_alive, ty.keep_alive) AS keep_alive, ty.is_iot_device, locked.series, locked.layout,
            locked.connectivity_due, locked.rules_due, locked.rules_state"""

_HAS_LISTENERS = f"""locked.organization_id = ANY (ARRAY(
                       SELECT w.organization_id FROM webhooks w
                       WHERE w.organization_id = ANY (string_to_array($1, E'\n'))
                         AND '{TELEMETRY_UPDATED.name}' = ANY (w.types)
                       UNION ALL
                       SELECT o.id FROM organizations o
                       WHERE o.id = ANY (string_to_array($1, E'\n')) AND o.telemetry_events))"""


def _lock_statement(assets: str, has_listeners: str, tenants: str = "ty.organization_id = $1") -> str:
    """Locks first and looks at the types then: joined at once, an asset would be looked up for every type there is."""
    return f"""WITH locked AS MATERIALIZED ({_LOCKED} {assets})
               SELECT {_DEVICE}, {has_listeners} AS has_listeners
               FROM locked JOIN asset_types ty ON ty.organization_id = locked.organization_id AND ty.id = locked.asset_type_id
               WHERE {tenants}"""


# In the order of their identifiers, so that two who want the same assets wait for each other and not both for ever.
_LOCK = sql(
    _lock_statement(
        f"""FROM unnest(string_to_array($1, E'\n'), string_to_array($2, E'\n')) AS wanted (organization_id, id)
           JOIN assets a ON a.organization_id = wanted.organization_id AND a.id = wanted.id
           WHERE {among("a", 3)}
           ORDER BY a.organization_id, a.id
           FOR NO KEY UPDATE OF a""",
        _HAS_LISTENERS,
        among("ty", 3),
    ),
    across="readings of all tenants are stored together",
)

_TIMERS = "the worker runs the timers of all tenants"
_DUE = sql(
    """SELECT rules_due, organization_id, id FROM assets
       WHERE rules_due <= $1 AND rules_due >= $2 AND organization_id || id <> ALL ($3::text[])
       ORDER BY rules_due LIMIT $4""",
    across=_TIMERS,
)
# By the identifiers, not by the index of what is due: that holds the due assets of all tenants, and there may be many.
_LOCK_DUE = sql(
    _lock_statement(
        f"""FROM unnest($1::text[], $2::text[]) AS wanted (organization_id, id)
           JOIN assets a ON a.organization_id = wanted.organization_id AND a.id = wanted.id
           WHERE a.rules_due + 0 <= $3 AND {among("a", 4)}
           ORDER BY a.organization_id, a.id FOR NO KEY UPDATE OF a SKIP LOCKED""",
        "false",
        among("ty", 4),
    ),
    across=_TIMERS,
)

_LOCK_OF_TYPE = sql(
    _lock_statement(
        """FROM assets a WHERE a.organization_id = $1 AND a.asset_type_id = $2 AND a.id > $3
           ORDER BY a.id LIMIT $4 FOR NO KEY UPDATE OF a""",
        "false",
    )
)

_BY_EXTERNAL_ID = sql(
    """SELECT a.organization_id, a.external_id, a.id
       FROM unnest($1::text[], $2::text[]) AS wanted (organization_id, external_id)
       JOIN assets a ON a.organization_id = wanted.organization_id AND a.external_id = wanted.external_id""",
    across="messages of all tenants are taken together",
)

_BY_EUI = sql(
    """SELECT a.id, ty.properties
       FROM assets a JOIN asset_types ty ON ty.organization_id = $1 AND ty.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.external_id = ANY ($2::text[])
       ORDER BY array_position($2::text[], a.external_id)
       LIMIT 1"""
)


async def lock_rows(tx: Transaction, keys: Sequence[DeviceKey]) -> list[Row]:
    """Those of the wanted ones that there are, as they are stored. All of tenants that stand together."""
    tenants, ids = zip(*keys, strict=True)
    return await tx.fetch(_LOCK, lines(tenants), lines(ids), await tenants_to_name(tx, tenants))


async def lock(tx: Transaction, tenant: TenantId, asset_id: str) -> list[Device]:
    return [device_from_row(row) for row in await lock_rows(tx, [(tenant, asset_id)])]


async def due(
    db: Database, now: int, most: int, since: int, without: Collection[DueRecord]
) -> list[DueRecord]:
    """Those with a rule whose timer has run out since then or later, the longest due first."""
    left = [asset.tenant + asset.id for asset in without]
    return [DueRecord(*row) for row in await db.fetch(_DUE, now, since, left, most)]


async def lock_due(tx: Transaction, found: Collection[DueRecord], now: int) -> list[Device]:
    """Those of them that are still due and not locked by others."""
    locked: list[Device] = []
    for group in await by_shard(tx, found, attrgetter("tenant")):
        tenants, ids = [asset.tenant for asset in group], [asset.id for asset in group]
        rows = await tx.fetch(_LOCK_DUE, tenants, ids, now, await tenants_to_name(tx, tenants))
        locked += [device_from_row(row) for row in rows]
    return locked


async def lock_of_type(
    tx: Transaction, tenant: TenantId, asset_type_id: str, after: str, limit: int
) -> list[Device]:
    """The next ones of a type, in the order of their identifiers."""
    found = [
        device_from_row(row) for row in await tx.fetch(_LOCK_OF_TYPE, tenant, asset_type_id, after, limit)
    ]
    return sorted(found, key=attrgetter("id"))


async def ids_by_external_id(
    db: Database, named: Collection[tuple[TenantId, str]]
) -> dict[tuple[TenantId, str], str]:
    """The assets that other systems call so, by tenant and name; without a query where nothing is asked for."""
    if not named:
        return {}
    tenants, external_ids = map(list, zip(*set(named), strict=True))
    return {(row[0], row[1]): row[2] for row in await db.fetch(_BY_EXTERNAL_ID, tenants, external_ids)}


async def device_by_eui(db: Database, tenant: TenantId, spellings: Sequence[str]) -> Row | None:
    """The `id` of the asset whose externalId is the first of these that there is, and the `properties` of its type."""
    return await db.fetchrow(_BY_EUI, tenant, spellings)


def device_from_row(row: Row) -> Device:
    *known, state, has_listeners = row
    return Device(*known, rule_states_of(state), has_listeners)  # type: ignore[call-arg]  # columns in the order of the fields
