import msgspec

from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId

COUNTED = 100_000


def _bounded(table: str, condition: str = "true") -> str:
    return f"""(SELECT count(*) FROM (SELECT 1 FROM {table} WHERE organization_id = $1 AND {condition}
                LIMIT {COUNTED}) t)"""


_WORKING_KEY = "status = 'active' AND (expires_at IS NULL OR expires_at > $2)"


class OrganizationUsage(msgspec.Struct, frozen=True):
    users: int
    api_keys: int
    assets: int
    locations: int
    webhooks: int
    open_work_orders: int


# Counts stop at a limit.
@query(
    f"""SELECT {_bounded("memberships")}, {_bounded("api_keys", _WORKING_KEY)}, {_bounded("assets")},
               {_bounded("locations")}, {_bounded("webhooks")},
               {_bounded("work_orders", "status IN ('Open', 'InProgress', 'OnHold')")}""",
    seconds=10,
)
async def usage(db: Database, tenant: TenantId, now: int) -> OrganizationUsage: ...
