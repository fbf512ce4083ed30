from steward.kit.db.listing import SEARCH, Filter, Listing, Sort
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, Row, query
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.locations import queries as locations
from steward.visitors.model import PERSONAL, Visitor

VISITORS = Table("visitors", Visitor, "visitor", searched=("name", "company", "email"))
# The expected arrival; a visitor registered without a time was expected at once.
ARRIVAL = "coalesce(expected_arrival, created)"
LISTING = Listing(
    VISITORS,
    filters={
        "external_id": Filter("external_id = {}", unique=True),
        "host_id": "host_id = {}",
        "location_id": "location_id = {}",
        "within": locations.WITHIN,
        "status": "status = {}",
        "from_": f"{ARRIVAL} >= {{}}",
        "to": f"{ARRIVAL} < {{}}",
        "expected_after": "expected_arrival > {}",
        "expected_before": "expected_arrival < {}",
        "updated_after": "updated >= {}",
        "q": SEARCH,
    },
    sorts={"expectedArrival": Sort(ARRIVAL)},
)
LOOKUP = Lookup(
    "visitor",
    "visitors",
    label="name",
    detail="company",
    path="/app/visitors",
    only="name IS NOT NULL",
    permission=Permission.VISITORS_READ,
)

# A visit ends when the visitor leaves; failing that, the last known time counts.
_TO_ERASE = "erased_at IS NULL AND coalesce(checked_out_at, checked_in_at, expected_arrival, created) < {}"


@query(
    f"SELECT organization_id, id FROM visitors WHERE {_TO_ERASE.format('$1')} LIMIT $2",
    across="the clock looks for old visits in every tenant, and then erases in each by itself",
)
async def find_due(db: Database, before: int, most: int) -> list[tuple[TenantId, str]]:
    """Visitors of any tenant whose visit was before this time and who aren't erased."""


@query(
    f"""SELECT id FROM visitors WHERE organization_id = $1 AND id = ANY($2) AND {_TO_ERASE.format("$3")}
        ORDER BY id FOR UPDATE SKIP LOCKED"""
)
async def lock_due(db: Database, tenant: TenantId, ids: list[str], before: int) -> list[str]:
    """Those of them still due and not locked by others."""


@query(
    f"""UPDATE visitors SET {", ".join(f"{name} = NULL" for name in PERSONAL)},
                            metadata = '{{}}', search_text = '', search_grams = '{{}}', erased_at = $3, updated = $3,
                            late_answers_until = $4
        WHERE organization_id = $1 AND id = ANY($2) AND erased_at IS NULL
        RETURNING {", ".join(VISITORS.fields)}"""
)
async def erase(
    db: Database, tenant: TenantId, ids: list[str], now: int, *, late_answers_until: int
) -> list[Visitor]:
    """Those of them that weren't erased before, as they are now."""


@query(
    "SELECT organization_id, id FROM visitors WHERE late_answers_until <= $1 ORDER BY late_answers_until LIMIT $2",
    across="the clock looks for erased visitors in every tenant, and then looks through the answers of each by itself",
)
async def find_late(db: Database, now: int, most: int) -> list[tuple[TenantId, str]]:
    """Erased visitors of any tenant about whom no receiver can still answer."""


@query("UPDATE visitors SET late_answers_until = NULL WHERE organization_id = $1 AND id = ANY($2)")
async def clear_late_answers(db: Database, tenant: TenantId, ids: list[str]) -> None: ...


# Days in the viewer's zone, as 2026-11-16.
@query(
    """SELECT to_char(to_timestamp(checked_in_at) AT TIME ZONE $4, 'YYYY-MM-DD'), count(*),
               count(*) FILTER (WHERE checked_out_at IS NOT NULL),
               avg(checked_out_at - checked_in_at)::bigint
        FROM visitors
        WHERE organization_id = $1 AND checked_in_at >= $2 AND checked_in_at < $3
        GROUP BY 1 ORDER BY 1 DESC""",
    seconds=20,
)
async def per_day(db: Database, tenant: TenantId, start: int, end: int, zone: str) -> list[Row]:
    """(day, came, of those gone, average stay)"""
