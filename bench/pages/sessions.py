"""A session of the web app for the person who asks for the pages."""

import asyncpg

from bench.tenants import Tenant
from steward.access import sessions
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

_GENERATION = """SELECT a.generation FROM memberships m JOIN accounts a ON a.id = m.account_id
                 WHERE m.organization_id = $1 AND m.user_id = $2"""


async def begin_session(url: str, tenant: Tenant) -> str:
    """The cookie of a session of the organization's founder."""
    connection = await asyncpg.connect(url)
    generation = await connection.fetchval(_GENERATION, tenant.id, tenant.user_id)
    await connection.close()
    pool = Pool(url, 1)
    cookie = await sessions.begin(pool, TenantId(tenant.id), tenant.user_id, generation, now=clock.now())
    await pool.close()
    return cookie
