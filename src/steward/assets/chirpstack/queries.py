from steward.assets.chirpstack.model import StoredServer
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

_GET = sql("SELECT url, token, token_last_four, updated FROM chirpstack_servers WHERE organization_id = $1")
_LOCK = sql(
    "SELECT url, token, token_last_four, updated FROM chirpstack_servers WHERE organization_id = $1 FOR UPDATE"
)
_PUT = sql(
    """INSERT INTO chirpstack_servers (organization_id, url, token, token_last_four, updated)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id) DO UPDATE
       SET url = excluded.url, token = excluded.token, token_last_four = excluded.token_last_four,
           updated = excluded.updated"""
)
_DELETE = sql("DELETE FROM chirpstack_servers WHERE organization_id = $1")


async def find(db: Database, tenant: TenantId) -> StoredServer | None:
    row = await db.fetchrow(_GET, tenant)
    return None if row is None else StoredServer(*row)


async def lock(tx: Database, tenant: TenantId) -> StoredServer | None:
    row = await tx.fetchrow(_LOCK, tenant)
    return None if row is None else StoredServer(*row)


async def put(tx: Database, tenant: TenantId, server: StoredServer) -> None:
    await tx.execute(_PUT, tenant, server.url, server.token, server.token_last_four, server.updated)


async def delete(tx: Database, tenant: TenantId) -> None:
    await tx.execute(_DELETE, tenant)
