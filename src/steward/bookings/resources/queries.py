from steward.bookings.resources.model import BookableResource
from steward.kit.db.pagination import SEARCH, Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

RESOURCES = Table("bookable_resources", BookableResource, "bookable resource", searched=("name",))
LISTING = Listing(
    "bookable_resources",
    json_columns(BookableResource),
    filters={
        "type": "type = {}",
        "location_id": "location_id = {}",
        "active": "active = {}",
        "updated_after": "updated > {}",
        "q": SEARCH,
    },
)

_EXPECT_CHECK_IN = sql(
    """UPDATE bookings SET release_at = start_time + $3, updated = $4
       WHERE organization_id = $1 AND resource_id = $2 AND status = 'Confirmed' AND start_time > $4"""
)
_EXPECT_NOBODY = sql(
    """UPDATE bookings SET release_at = NULL, updated = $3
       WHERE organization_id = $1 AND resource_id = $2 AND release_at IS NOT NULL"""
)


async def set_check_in_seconds(
    db: Database, tenant: TenantId, resource_id: str, seconds: int | None, now: int
) -> None:
    """Sets how long the bookings of a resource wait for somebody to check in; None is for ever.

    What has begun keeps the rule under which it began, unless that is lifted: nobody loses a room they sit in because
    the rule is new.
    """
    if seconds is None:
        await db.execute(_EXPECT_NOBODY, tenant, resource_id, now)
    else:
        await db.execute(_EXPECT_CHECK_IN, tenant, resource_id, seconds, now)
