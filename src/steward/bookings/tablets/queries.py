from steward.bookings.tablets.model import Tablet
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

_FIELDS = "id, resource_id, name, created, last_used"
_ADD = sql(
    """INSERT INTO resource_tablets (organization_id, id, resource_id, name, token_hash, created)
       VALUES ($1, $2, $3, $4, $5, $6)"""
)
_OF_RESOURCE = sql(
    f"""SELECT {_FIELDS} FROM resource_tablets WHERE organization_id = $1 AND resource_id = $2
        ORDER BY id DESC LIMIT $3"""
)
_FIND = sql(
    f"SELECT organization_id, {_FIELDS} FROM resource_tablets WHERE organization_id = $1 AND token_hash = $2"
)
_USED = sql("UPDATE resource_tablets SET last_used = $3 WHERE organization_id = $1 AND id = $2")
_REVOKE = sql(
    "DELETE FROM resource_tablets WHERE organization_id = $1 AND resource_id = $2 AND id = $3 RETURNING id"
)


async def add(db: Database, tenant: TenantId, tablet: Tablet, token_hash: bytes) -> None:
    values = (tablet.id, tablet.resource_id, tablet.name, token_hash, tablet.created)
    await db.execute(_ADD, tenant, *values)


async def of_resource(db: Database, tenant: TenantId, resource_id: str, *, most: int) -> list[Tablet]:
    """Newest first."""
    return [_tablet(row) for row in await db.fetch(_OF_RESOURCE, tenant, resource_id, most)]


async def find(db: Database, organization: str, token_hash: bytes) -> tuple[TenantId, Tablet] | None:
    """The secret is the credential."""
    row = await db.fetchrow(_FIND, organization, token_hash)
    return None if row is None else (row[0], _tablet(row[1:]))


async def write_use(db: Database, tenant: TenantId, tablet_id: str, now: int) -> None:
    await db.execute(_USED, tenant, tablet_id, now)


async def revoke(db: Database, tenant: TenantId, resource_id: str, tablet_id: str) -> bool:
    return await db.fetchrow(_REVOKE, tenant, resource_id, tablet_id) is not None


def _tablet(row: tuple[str, str, str, int, int | None]) -> Tablet:
    id, resource_id, name, created, last_used = row
    return Tablet(id=id, resource_id=resource_id, name=name, created=created, last_used=last_used)
