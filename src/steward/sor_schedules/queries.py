from steward.kit.db.filters import Filter
from steward.kit.db.lookup import Lookup
from steward.kit.db.pagination import SEARCH, Listing, Sort, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.sor_schedules.model import Schedule

SCHEDULES = Table("sor_schedules", Schedule, "schedule", searched=("name",))
LISTING = Listing(
    "sor_schedules",
    json_columns(Schedule),
    filters={
        "status": "status = {}",
        "effective_at": Filter(
            "status = 'Published' AND effective_from <= {} AND effective_to > {}",
            lambda _tenant, second: (second, second),
        ),
        "updated_after": "updated >= {}",
        "q": SEARCH,
    },
    sorts={"name": Sort("lower(name)", "text"), "updated": Sort("updated")},
)
LOOKUP = Lookup(
    "schedule",
    "sor_schedules",
    label="name",
    detail="status",
    path="/app/schedules",
    permission=Permission.SOR_READ,
)


async def find(db: Database, tenant: TenantId, schedule_id: str) -> Schedule | None:
    row = await db.fetchrow(SCHEDULES.select, tenant, schedule_id)
    return None if row is None else SCHEDULES.load(row)
