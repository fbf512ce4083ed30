from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.organizations.model import Organization

_INSERT = sql("INSERT INTO organizations (id, name, plan, created, updated) VALUES ($1, $2, $3, $4, $5)")
_COLUMNS = "id, name, plan, created, updated, telemetry_events"
_GET = sql(f"SELECT {_COLUMNS} FROM organizations WHERE id = $1")
_LOCK = sql(f"SELECT {_COLUMNS} FROM organizations WHERE id = $1 FOR NO KEY UPDATE")
_UPDATE = sql(
    "UPDATE organizations SET name = $2, plan = $3, updated = $4, telemetry_events = $5 WHERE id = $1"
)
_ALL = sql(
    f"SELECT {_COLUMNS} FROM organizations ORDER BY id",
    across="the operator lists every tenant",
)


async def insert(db: Database, organization: Organization) -> None:
    await db.execute(
        _INSERT,
        organization.id,
        organization.name,
        organization.plan,
        organization.created,
        organization.updated,
    )


async def get(db: Database, tenant: TenantId) -> Organization | None:
    row = await db.fetchrow(_GET, tenant)
    return None if row is None else Organization(*row)


async def lock(db: Database, tenant: TenantId) -> Organization | None:
    row = await db.fetchrow(_LOCK, tenant)
    return None if row is None else Organization(*row)


async def update(db: Database, organization: Organization) -> None:
    await db.execute(
        _UPDATE,
        organization.id,
        organization.name,
        organization.plan,
        organization.updated,
        organization.telemetry_events,
    )


async def every(db: Database) -> list[Organization]:
    return [Organization(*row) for row in await db.fetch(_ALL)]
