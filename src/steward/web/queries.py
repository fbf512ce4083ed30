import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

_CURRENT_USER = sql(
    """SELECT o.name, m.name, m.email
       FROM memberships m
       JOIN organizations o ON o.id = m.organization_id
       WHERE m.organization_id = $1 AND m.user_id = $2"""
)
_WORK_ORDERS_BY_STATUS = sql(
    "SELECT status, count(*) FROM work_orders WHERE organization_id = $1 GROUP BY status"
)


class CurrentUser(msgspec.Struct, frozen=True):
    """The person in front of the browser, and where they are."""

    organization: str
    name: str
    email: str


async def current_user(db: Database, tenant: TenantId, user_id: str) -> CurrentUser | None:
    row = await db.fetchrow(_CURRENT_USER, tenant, user_id)
    return None if row is None else CurrentUser(*row)


async def work_orders_by_status(db: Database, tenant: TenantId) -> dict[str, int]:
    return {row[0]: row[1] for row in await db.fetch(_WORK_ORDERS_BY_STATUS, tenant)}
