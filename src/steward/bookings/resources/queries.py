from steward.bookings.resources.model import LOOKS, BookableResource
from steward.kit.db.listing import SEARCH, Filter, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, query, sql
from steward.kit.db.table import Table
from steward.kit.records.archiving import ARCHIVED, PRESENT
from steward.kit.security.caller import TenantId
from steward.locations import queries as locations

RESOURCES = Table(
    "bookable_resources", BookableResource, "bookable resource", searched=("name",), looked_at=True
)
LISTING = Listing(
    RESOURCES,
    filters={
        "external_id": Filter("external_id = {}", unique=True),
        "location_id": "location_id = {}",
        "within": locations.WITHIN,
        "type": "type = {}",
        "active": Filter("active = {}", type="boolean"),
        "updated_after": "updated >= {}",
        "archived": ARCHIVED,
        "q": SEARCH,
    },
    sorts={"name": Sort(folded("name"), "text"), "updated": Sort("updated")},
)
_BOOKABLE = f"active AND {PRESENT}"
# Bookings of one resource never overlap, so only the first that ends after the start matters.
_FREE = f"""{_BOOKABLE} AND NOT EXISTS (
    SELECT 1 FROM (
        SELECT b.start_time FROM bookings b
        WHERE b.organization_id = $1 AND b.resource_id = bookable_resources.id
          AND b.end_time > {{}}::bigint - buffer_minutes * 60 AND b.status IN ('Confirmed', 'CheckedIn')
        ORDER BY b.end_time LIMIT 1
    ) nearest
    WHERE nearest.start_time < {{}}::bigint + buffer_minutes * 60
)"""
FREE = Listing(
    RESOURCES,
    filters={
        "location_id": locations.WITHIN,
        "type": "type = {}",
        "capacity": Filter("capacity >= {}", indexed=False),
        "free": Filter(_FREE, lambda _tenant, window: tuple(window), cost=5),
        "features": Filter(
            "lower(features::text)::text[] @> lower({}::text[]::text)::text[]",
            lambda _tenant, given: ([given] if isinstance(given, str) else given,),
        ),
    },
)
LOOKUP = Lookup(
    "resource",
    "bookable_resources",
    label="name",
    detail="type",
    path="/app/bookings/resources",
    only=_BOOKABLE,
    permission=LOOKS,
)

_EXPECT_CHECK_IN = sql(
    """UPDATE bookings SET release_at = start_time + $3, updated = $4
       WHERE organization_id = $1 AND resource_id = $2 AND status = 'Confirmed' AND start_time > $4"""
)
_EXPECT_NOBODY = sql(
    """UPDATE bookings SET release_at = NULL, updated = $3
       WHERE organization_id = $1 AND resource_id = $2 AND release_at IS NOT NULL"""
)


@query(RESOURCES.lock_many)
async def lock_resources(db: Database, tenant: TenantId, ids: list[str]) -> dict[str, BookableResource]:
    """Always in the same order, to avoid deadlocks."""


# A location includes those below it.
@query(
    f"""WITH RECURSIVE below AS (
            SELECT l.id FROM locations l WHERE l.organization_id = $1 AND l.id = $3
            UNION
            SELECT l.id FROM locations l JOIN below ON l.parent_id = below.id WHERE l.organization_id = $1
        )
        {RESOURCES.of_tenant} AND {_BOOKABLE} AND ($2::text IS NULL OR type = $2)
          AND ($3::text IS NULL OR location_id IN (SELECT below.id FROM below))
        ORDER BY name, id LIMIT $4"""
)
async def on_grid(
    db: Database, tenant: TenantId, type: str | None, location_id: str | None, *, most: int
) -> list[BookableResource]:
    """Active resources, by name."""


async def set_check_in_seconds(
    db: Database, tenant: TenantId, resource_id: str, seconds: int | None, now: int
) -> None:
    """Sets how long bookings of a resource wait for a check-in; None is for ever.

    Bookings that have begun keep their rule, unless it is lifted: a new rule must not take a room from the
    people in it.
    """
    if seconds is None:
        await db.execute(_EXPECT_NOBODY, tenant, resource_id, now)
    else:
        await db.execute(_EXPECT_CHECK_IN, tenant, resource_id, seconds, now)
