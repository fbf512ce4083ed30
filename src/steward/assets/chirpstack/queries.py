from steward.assets.chirpstack.model import StoredServer
from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId

_OF_TENANT = "SELECT url, token, token_last_four, updated FROM chirpstack_servers WHERE organization_id = $1"


@query(_OF_TENANT)
async def find(db: Database, tenant: TenantId) -> StoredServer | None: ...


@query(f"{_OF_TENANT} FOR UPDATE")
async def lock(tx: Database, tenant: TenantId) -> StoredServer | None: ...


@query(
    """INSERT INTO chirpstack_servers (organization_id, url, token, token_last_four, updated)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id) DO UPDATE
       SET url = excluded.url, token = excluded.token, token_last_four = excluded.token_last_four,
           updated = excluded.updated"""
)
async def put(tx: Database, tenant: TenantId, server: StoredServer) -> None: ...


@query("DELETE FROM chirpstack_servers WHERE organization_id = $1")
async def delete(tx: Database, tenant: TenantId) -> None: ...
