from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from steward.alert_rules.alerts.model import Alert, AlertedAsset
from steward.alert_rules.model import Severity
from steward.kit.db.listing import Filter, Listing, Sort
from steward.kit.db.query import Database, query, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.locations import queries as locations

ALERTS = Table("alerts", Alert, "alert")
_IN_LOCATIONS = """(SELECT a.location_id FROM assets a WHERE a.organization_id = $1 AND a.id = alerts.asset_id)
                   IN (SELECT unnest({}::text[]))"""
_FILTERS: dict[str, str | Filter] = {
    "status": "status = {}",
    "severity": "severity = {}",
    "asset_id": "asset_id = {}",
    "rule_id": "rule_id = {}",
    "location_id": Filter(
        _IN_LOCATIONS, lambda _, given: ([given] if isinstance(given, str) else given,), cost=8
    ),
    "within": Filter(_IN_LOCATIONS, lambda _, ids: (ids,), expand=locations.within, cost=8),
}
LISTING = Listing(
    ALERTS,
    filters=_FILTERS,
    sorts={},
    age="firstSeen",
    former_sorts={"created": "firstSeen"},
)
# Critical before Warning, and unacknowledged ones first.
_RANK = (
    "(CASE severity WHEN 'Critical' THEN 2 ELSE 0 END + CASE status WHEN 'Active' THEN 1 ELSE 0 END)::bigint"
)
LISTING_FOR_PEOPLE = Listing(
    ALERTS,
    filters={**_FILTERS, "open": "status <> 'Cleared' AND {}"},
    sorts={"worst": Sort(_RANK, indexed_with=("open",), only_with="open")},
    age="firstSeen",
    former_sorts={"created": "firstSeen"},
)

_LOCK_ASSET = sql(
    "SELECT location_id, asset_type_id FROM assets WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE"
)
_FOLLOW_RULE_SEVERITY = sql(
    f"""UPDATE alerts a SET severity = r.severity FROM alerts was, alert_rules r
        WHERE a.organization_id = $1 AND a.id = was.id
          AND was.organization_id = $1 AND was.asset_id = ANY ($2::text[]) AND was.status <> 'Cleared'
          AND r.organization_id = $1 AND r.id = was.rule_id AND r.severity <> was.severity
        RETURNING was.severity, {", ".join(f"a.{column}" for column in ALERTS.columns)}"""
)


async def assets_of(db: Database, tenant: TenantId, asset_ids: Iterable[str]) -> dict[str, AlertedAsset]:
    wanted = sorted(set(asset_ids))
    return await _assets(db, tenant, wanted) if wanted else {}


@query(
    """SELECT a.id, a.name, a.location_id, a.last_telemetry, a.last_seen, t.properties
       FROM assets a JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.id = ANY ($2::text[])"""
)
async def _assets(db: Database, tenant: TenantId, ids: Sequence[str]) -> dict[str, AlertedAsset]: ...


@query(
    f"""({ALERTS.of_tenant} AND asset_id = $2 AND status <> 'Cleared' ORDER BY id DESC LIMIT $3)
        UNION ALL
        ({ALERTS.of_tenant} AND asset_id = $2 AND status = 'Cleared' ORDER BY id DESC LIMIT $4)"""
)
async def of_asset(db: Database, tenant: TenantId, asset_id: str, open: int, cleared: int) -> list[Alert]:
    """The newest open ones, then the newest closed ones."""


@query(f"{ALERTS.of_tenant} AND rule_id = $2 ORDER BY id DESC LIMIT $3")
async def of_rule(db: Database, tenant: TenantId, rule_id: str, limit: int) -> list[Alert]: ...


async def lock_asset(db: Database, tenant: TenantId, asset_id: str) -> tuple[str | None, str]:
    """Locks the asset until the transaction ends, so that no reading, timer or rule change touches it or its
    alerts. Returns its location and type.
    """
    row = await db.fetchrow(_LOCK_ASSET, tenant, asset_id)
    if row is None:
        raise ALERTS.missing()
    return row[0], row[1]


async def follow_rule_severity(
    db: Database, tenant: TenantId, asset_ids: Sequence[str]
) -> list[tuple[Alert, Alert]]:
    """Gives open alerts of these locked assets the present severity of their rules.

    Returns those that had another one, before and after.
    """
    rows = await db.fetch(_FOLLOW_RULE_SEVERITY, tenant, asset_ids)
    changed = [(Severity(row[0]), ALERTS.load(row[1:])) for row in rows]
    return [(replace(alert, severity=was), alert) for was, alert in changed]
