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
# A sign of life from a time to come was left by a clock that has been set back: it says nothing of today.
_WORKER_HEALTH = sql(
    """SELECT count(*) > 0, min(oldest_due) FROM processes
       WHERE kind = 'worker' AND seen >= $1 AND seen <= $2"""
)
# Without a table of its own.
_WRITE_AND_FORGET = sql("SELECT lo_unlink(lo_from_bytea(0, $1))")


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


async def worker_health(db: Database, seen_from: int, seen_until: int) -> tuple[bool, int | None]:
    """Whether a worker has given a sign of life between these seconds, and since when a delivery waits that none took."""
    [(is_alive, oldest_due)] = await db.fetch(_WORKER_HEALTH, seen_from, seen_until)
    return is_alive, oldest_due


async def write_and_forget(db: Database, data: bytes) -> None:
    await db.execute(_WRITE_AND_FORGET, data)
