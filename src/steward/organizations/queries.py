from steward.kit.db.query import Database, query, sql
from steward.kit.security.caller import TenantId
from steward.organizations.model import Organization

_COLUMNS = "id, name, plan, created, updated, telemetry_events"
_UPDATE = sql(
    "UPDATE organizations SET name = $2, plan = $3, updated = $4, telemetry_events = $5 WHERE id = $1"
)


@query(f"INSERT INTO organizations ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)")
async def insert(db: Database, organization: Organization) -> None: ...


@query(f"SELECT {_COLUMNS} FROM organizations WHERE id = $1")
async def get(db: Database, tenant: TenantId) -> Organization | None: ...


@query(f"SELECT {_COLUMNS} FROM organizations WHERE id = $1 FOR NO KEY UPDATE")
async def lock(db: Database, tenant: TenantId) -> Organization | None: ...


async def update(db: Database, organization: Organization) -> None:
    values = (organization.id, organization.name, organization.plan, organization.updated)
    await db.execute(_UPDATE, *values, organization.telemetry_events)


@query(
    f"SELECT {_COLUMNS} FROM organizations ORDER BY id",
    across="the operator lists every tenant",
)
async def every(db: Database) -> list[Organization]: ...
