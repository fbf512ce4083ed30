from collections.abc import Sequence

from steward.bookings.model import OTHERS_SEE, Booking
from steward.bookings.resources.model import BookableResource
from steward.bookings.rules import MAX_BOOKING_SECONDS
from steward.bookings.slots import BookingConflict, BusySlot, Slot
from steward.kit.db.listing import Bound, Filter, Listing, Sort
from steward.kit.db.query import Database, Row, query, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.locations import queries as locations

BOOKINGS = Table("bookings", Booking, "booking", owner="booked_by", others_see=OTHERS_SEE)
# The bound on the start follows from the longest booking, so that the index of starts can be used.
_ENDS_AFTER = Filter(
    "end_time > {} AND start_time > {}",
    lambda _, second: (second, second - MAX_BOOKING_SECONDS - 1),
    bound=Bound("start_time", ">", value=1),
)
LISTING = Listing(
    BOOKINGS,
    filters={
        "external_id": Filter("external_id = {}", unique=True),
        "series_id": "series_id = {}",
        "resource_id": "resource_id = {}",
        "location_id": "location_id = {}",
        "within": locations.WITHIN,
        "booked_by": "booked_by = {}",
        "status": "status = {}",
        "starts_after": "start_time > {}",
        "starts_before": "start_time < {}",
        "ends_after": _ENDS_AFTER,
        "from_": _ENDS_AFTER,
        "to": "start_time < {}",
        "updated_after": "updated >= {}",
    },
    sorts={"startTime": Sort("start_time"), "updated": Sort("updated")},
    former_sorts={"start": "startTime"},
)

# For each wanted slot, which includes its buffer.
_CONFLICTS = sql(
    f"""SELECT taken.id AS booking_id, $2::text AS resource_id, taken.start_time, taken.end_time, taken.title,
              wanted.start_time AS wanted_start_time
       FROM unnest($3::bigint[], $4::bigint[], $5::bigint[]) AS wanted (start_time, earliest, latest)
       CROSS JOIN LATERAL (
           SELECT id, start_time, end_time, title FROM bookings
           WHERE organization_id = $1 AND resource_id = $2
             AND end_time > wanted.earliest AND end_time < wanted.latest + {MAX_BOOKING_SECONDS}
             AND start_time < wanted.latest AND status IN ('Confirmed', 'CheckedIn') AND id <> ALL ($6::text[])
           ORDER BY end_time LIMIT $7
       ) taken
       ORDER BY wanted.start_time, taken.end_time"""
)


@query(
    """SELECT start_time, end_time, id FROM bookings
       WHERE organization_id = $1 AND resource_id = $2 AND end_time > $3 AND id <> ALL ($4::text[])
         AND status IN ('Confirmed', 'CheckedIn')
       ORDER BY end_time LIMIT $5"""
)
async def taken_after(
    db: Database, tenant: TenantId, resource_id: str, moment: int, *, besides: list[str], most: int
) -> list[BusySlot]:
    """Bookings of the resource that end after a time, in order of time, except some."""


async def conflicts(
    db: Database,
    tenant: TenantId,
    resource: BookableResource,
    wanted: Sequence[Slot],
    *,
    besides: list[str],
    most_each: int,
) -> list[BookingConflict]:
    """Bookings that conflict with the wanted slots, buffer included, in the order of the slots."""
    buffer = resource.buffer_seconds
    slots = [(slot.start_time, slot.start_time - buffer, slot.end_time + buffer) for slot in wanted]
    columns = map(list, zip(*slots, strict=True))
    rows = await db.fetch(_CONFLICTS, tenant, resource.id, *columns, besides, most_each)
    return [BookingConflict(**row) for row in rows]


@query(f"{BOOKINGS.of_tenant} AND series_id = $2 AND status = 'Confirmed' AND start_time > $3")
async def dates_to_come(db: Database, tenant: TenantId, series_id: str, now: int) -> list[Booking]:
    """The dates of a series that are Confirmed and have not begun, without a lock."""


@query(BOOKINGS.lock_many)
async def lock_bookings(db: Database, tenant: TenantId, ids: list[str]) -> list[Booking]:
    """Always in the same order, to avoid deadlocks."""


# The bound on the end follows from the longest booking, so that the index of ends can be used.
@query(
    f"""SELECT start_time, end_time, id FROM bookings
       WHERE organization_id = $1 AND resource_id = $2 AND end_time > $3 AND end_time < $4::bigint + {MAX_BOOKING_SECONDS}
         AND start_time < $4 AND status IN ('Confirmed', 'CheckedIn')
       ORDER BY end_time LIMIT $5"""
)
async def taken_between(
    db: Database, tenant: TenantId, resource_id: str, start: int, end: int, *, most: int
) -> list[BusySlot]: ...


# Bookings that begin within the window, and the one running at its beginning: for each resource the first to
# end after it, as bookings of one resource never overlap.
@query(
    f"""{BOOKINGS.of_tenant} AND resource_id = ANY ($2::text[]) AND start_time >= $3 AND start_time < $4
          AND status IN ('Confirmed', 'CheckedIn')
        UNION ALL
        SELECT b.* FROM unnest($2::text[]) AS shown (id)
        CROSS JOIN LATERAL (
            {BOOKINGS.of_tenant} AND resource_id = shown.id AND end_time > $3
              AND status IN ('Confirmed', 'CheckedIn')
            ORDER BY end_time LIMIT 1
        ) b
        WHERE b.start_time < $3
        ORDER BY start_time, id LIMIT $5"""
)
async def on_grid(
    db: Database, tenant: TenantId, resource_ids: list[str], window: Slot, *, most: int
) -> list[Booking]:
    """Bookings of these resources that overlap the window, in order of time."""


@query(
    f"""{BOOKINGS.of_tenant} AND resource_id = $2 AND end_time > $3 AND status IN ('Confirmed', 'CheckedIn')
        ORDER BY end_time LIMIT $4"""
)
async def holding_after(
    db: Database, tenant: TenantId, resource_id: str, moment: int, *, most: int
) -> list[Booking]:
    """Bookings of the resource that end after a time, in order of time."""


@query(
    "SELECT DISTINCT organization_id FROM bookings WHERE release_at <= $1",
    across="the clock looks for no-shows in every tenant, and then acts in each by itself",
)
async def tenants_with_no_shows(db: Database, now: int) -> list[TenantId]: ...


@query(
    f"""{BOOKINGS.of_tenant} AND release_at <= $2 AND status = 'Confirmed'
        ORDER BY release_at LIMIT $3 FOR UPDATE SKIP LOCKED"""
)
async def lock_no_shows(db: Database, tenant: TenantId, now: int, most: int) -> list[Booking]:
    """Bookings without a check-in in time; rows locked by others are skipped."""


@query(
    """SELECT b.resource_id, max(b.resource_name),
               count(*) FILTER (WHERE b.status <> 'Cancelled'),
               coalesce(sum(least(b.end_time, $3) - greatest(b.start_time, $2))
                   FILTER (WHERE b.status IN ('Confirmed', 'CheckedIn')), 0)::bigint,
               count(*) FILTER (WHERE b.status = 'NoShow'),
               count(*) FILTER (WHERE b.status = 'Cancelled')
        FROM bookings b
        WHERE b.organization_id = $1 AND b.start_time >= $2 AND b.start_time < $3
        GROUP BY 1 ORDER BY 4 DESC LIMIT $4""",
    seconds=20,
)
async def use(db: Database, tenant: TenantId, start: int, end: int, most: int) -> list[Row]:
    """(resource, name, bookings, seconds booked, no-shows, cancelled), the most used first"""
