from steward.kit.db.listing import SEARCH, Bound, Filter, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, Transaction, query
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.sor_schedules.model import Schedule

SCHEDULES = Table("sor_schedules", Schedule, "schedule", searched=("name",))
LISTING = Listing(
    SCHEDULES,
    filters={
        "status": "status = {}",
        "effective_at": Filter(
            "status <> 'Draft' AND effective_from <= {} AND effective_to > {}",
            lambda _tenant, second: (second, second),
            bound=Bound("effective_to", ">", value=1),
        ),
        "updated_after": "updated >= {}",
        "q": SEARCH,
    },
    sorts={"name": Sort(folded("name"), "text"), "updated": Sort("updated")},
)
LOOKUP = Lookup(
    "schedule",
    "sor_schedules",
    label="name",
    detail="status",
    path="/app/schedules",
    permission=Permission.SOR_READ,
)


@query(f"{SCHEDULES.select} FOR SHARE")
async def hold(tx: Transaction, tenant: TenantId, schedule_id: str) -> Schedule | None:
    """The schedule, locked until the transaction ends."""


# In both directions from one version; each has at most one before and one after it.
@query(
    f"""WITH RECURSIVE trail AS (
            {SCHEDULES.select}
            UNION
            SELECT {", ".join(f"s.{field}" for field in SCHEDULES.fields)} FROM sor_schedules s
            JOIN trail t ON s.id = t.supersedes OR s.supersedes = t.id
            WHERE s.organization_id = $1
        )
        SELECT * FROM trail ORDER BY version DESC LIMIT $3"""
)
async def versions(db: Database, tenant: TenantId, schedule_id: str, *, most: int) -> list[Schedule]:
    """All versions, the newest first."""


@query(SCHEDULES.select)
async def find(db: Database, tenant: TenantId, schedule_id: str) -> Schedule | None: ...
