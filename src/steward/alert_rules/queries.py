from collections.abc import Collection, Iterable, Sequence

import msgspec

from steward.alert_rules.model import AlertRule, WatchedAsset
from steward.alert_rules.rule_index import RuleIndex
from steward.asset_types.model import TelemetryProperty
from steward.kit.db.listing import Filter, Listing
from steward.kit.db.query import Database, query, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

ALERT_RULES = Table("alert_rules", AlertRule, "alert rule")
LISTING = Listing(
    ALERT_RULES,
    filters={
        "asset_type_id": "asset_type_id = {}",
        "asset_id": "asset_id = {}",
        "severity": Filter("severity = {}", indexed=False),
        "enabled": Filter("enabled = {}", type="boolean", indexed=False),
    },
)

_ENABLED = sql(f"{ALERT_RULES.of_tenant} AND enabled ORDER BY id")
_ENABLED_OF_MANY = sql(
    f"""SELECT organization_id, {", ".join(ALERT_RULES.columns)} FROM alert_rules
        WHERE organization_id = ANY ($1::text[]) AND enabled ORDER BY organization_id, id""",
    across="assets of many tenants are looked at together, each by the rules of its own",
)
_COUNT = sql(
    """SELECT count(*), count(*) FILTER (WHERE asset_type_id = $2 OR asset_id = $3) FROM alert_rules
       WHERE organization_id = $1"""
)
_NOTE_CHANGE = sql(
    """INSERT INTO alert_rule_changes (organization_id, id, asset_type_id, asset_id, after_asset, due)
       VALUES ($1, $2, $3, $4, '', $5)"""
)
_BY_ID = sql(f"{ALERT_RULES.of_tenant} AND id = ANY ($2::text[])")
_PROPERTIES = sql(
    """SELECT t.id, t.properties FROM asset_types t WHERE t.organization_id = $1 AND t.id = ANY ($2::text[])
       UNION ALL
       SELECT a.id, t.properties FROM assets a
       JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.id = ANY ($3::text[])"""
)
_WATCHED = sql(
    """SELECT a.id, a.name, a.created, coalesce(a.keep_alive, t.keep_alive), a.series, coalesce(l.keys, '{}'),
              count(*) OVER () AS total
       FROM assets a
       JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       LEFT JOIN telemetry_layouts l ON l.organization_id = $1 AND l.layout = a.layout
       WHERE a.organization_id = $1 AND (a.asset_type_id = $2 OR a.id = $3)
       ORDER BY a.last_seen DESC NULLS LAST, a.id DESC LIMIT $4"""
)


async def load_rule_index(db: Database, tenant: TenantId) -> RuleIndex:
    return RuleIndex(ALERT_RULES.load(row) for row in await db.fetch(_ENABLED, tenant))


async def load_rule_indexes(db: Database, tenants: Collection[TenantId]) -> dict[TenantId, RuleIndex]:
    """For each of them, also without rules."""
    rules: dict[TenantId, list[AlertRule]] = {tenant: [] for tenant in tenants}
    for row in await db.fetch(_ENABLED_OF_MANY, list(tenants)):
        rules[row[0]].append(ALERT_RULES.load(row[1:]))
    return {tenant: RuleIndex(its) for tenant, its in rules.items()}


async def count(db: Database, tenant: TenantId, like: AlertRule) -> tuple[int, int]:
    """How many rules there are, and how many of them for the same assets as this one."""
    [(all_of_them, alike)] = await db.fetch(_COUNT, tenant, like.asset_type_id, like.asset_id)
    return all_of_them, alike


async def note_change(db: Database, tenant: TenantId, change_id: str, rule: AlertRule, due: int) -> None:
    """Schedules an evaluation of the rule's assets, at `due` at the latest."""
    await db.execute(_NOTE_CHANGE, tenant, change_id, rule.asset_type_id, rule.asset_id, due)


async def by_ids(db: Database, tenant: TenantId, ids: Iterable[str]) -> dict[str, AlertRule]:
    """Those that still exist."""
    wanted = sorted(set(ids))
    rows = await db.fetch(_BY_ID, tenant, wanted) if wanted else []
    return {rule.id: rule for rule in map(ALERT_RULES.load, rows)}


@query(f"{ALERT_RULES.of_tenant} AND asset_type_id = $2 ORDER BY id DESC")
async def of_type(db: Database, tenant: TenantId, asset_type_id: str) -> list[AlertRule]: ...


@query(
    f"""{ALERT_RULES.of_tenant}
          AND (asset_id = $2 OR asset_type_id = (SELECT a.asset_type_id FROM assets a
                                                 WHERE a.organization_id = $1 AND a.id = $2))
        ORDER BY id DESC"""
)
async def of_asset(db: Database, tenant: TenantId, asset_id: str) -> list[AlertRule]:
    """Its own, and those of its type."""


async def properties_of(
    db: Database, tenant: TenantId, rules: Sequence[AlertRule]
) -> dict[str, list[TelemetryProperty]]:
    """The properties of the types that the rules are for, by the identifier of the type or the asset."""
    types = [rule.asset_type_id for rule in rules if rule.asset_type_id]
    assets = [rule.asset_id for rule in rules if rule.asset_id]
    return await properties_by_scope(db, tenant, types, assets)


async def properties_by_scope(
    db: Database, tenant: TenantId, type_ids: Iterable[str], asset_ids: Iterable[str]
) -> dict[str, list[TelemetryProperty]]:
    types, assets = sorted(set(type_ids)), sorted(set(asset_ids))
    rows = await db.fetch(_PROPERTIES, tenant, types, assets) if types or assets else []
    return {row[0]: msgspec.convert(row[1], list[TelemetryProperty]) for row in rows}


async def watched_assets(
    db: Database, tenant: TenantId, rule: AlertRule, limit: int
) -> tuple[list[WatchedAsset], int]:
    """The rule's assets that reported last, and how many it has in all."""
    rows = await db.fetch(_WATCHED, tenant, rule.asset_type_id, rule.asset_id, limit)
    total = rows[0]["total"] if rows else 0
    return [WatchedAsset(*row[:6]) for row in rows], total
