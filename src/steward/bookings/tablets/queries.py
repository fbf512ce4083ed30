from steward.bookings.tablets.model import Tablet
from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId

_FIELDS = "id, resource_id, name, created, last_used"


@query(
    f"""INSERT INTO resource_tablets (organization_id, {_FIELDS}, token_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7)"""
)
async def add(db: Database, tenant: TenantId, tablet: Tablet, token_hash: bytes) -> None: ...


@query(
    f"""SELECT {_FIELDS} FROM resource_tablets WHERE organization_id = $1 AND resource_id = $2
        ORDER BY id DESC LIMIT $3"""
)
async def of_resource(db: Database, tenant: TenantId, resource_id: str, *, most: int) -> list[Tablet]:
    """Newest first."""


@query(
    f"SELECT organization_id, {_FIELDS} FROM resource_tablets WHERE organization_id = $1 AND token_hash = $2"
)
async def find(db: Database, organization: str, token_hash: bytes) -> tuple[TenantId, Tablet] | None:
    """The secret is the credential."""


@query("UPDATE resource_tablets SET last_used = $3 WHERE organization_id = $1 AND id = $2")
async def write_use(db: Database, tenant: TenantId, tablet_id: str, now: int) -> None: ...


@query(
    "DELETE FROM resource_tablets WHERE organization_id = $1 AND resource_id = $2 AND id = $3 RETURNING id"
)
async def revoke(db: Database, tenant: TenantId, resource_id: str, tablet_id: str) -> bool: ...
