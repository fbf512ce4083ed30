from steward.assets.events import TELEMETRY_UPDATED
from steward.events.model import RETENTION_DAYS, FoundEvent
from steward.kit.db.listing import Filter, Listing
from steward.kit.db.partitions import DAY_SECONDS, daily_by_id, first_id, register_partitions
from steward.kit.db.query import Database, query
from steward.kit.events.patterns import expand, require_known
from steward.kit.security.caller import TenantId

register_partitions("events", daily_by_id("id", "evt", retention_seconds=RETENTION_DAYS * DAY_SECONDS))


async def exact_types(_db: Database, _tenant: TenantId, given: str | list[str]) -> list[str]:
    """The types that the patterns of a list's filter match."""
    patterns = [given] if isinstance(given, str) else given
    require_known(("type", pattern) for pattern in patterns)
    return expand(patterns)


# Identifiers sort by time, so "after this second" is a range of them and needs no index of its own.
_BODY = "convert_from(body, 'UTF8')"
_ACTOR = """CASE WHEN actor IS NULL THEN 'null'
                 ELSE jsonb_build_object('type', split_part(actor, ':', 1), 'id', nullif(split_part(actor, ':', 2), ''))::text END"""


_CELLS = ("id", "type", "organizationId", "created", "data", "livemode")


def _listing(item: str, *more_cells: str) -> Listing:
    return Listing(
        "events",
        {"id": "id"},
        item=item,
        cells=(*_CELLS, *more_cells),
        filters={
            "type": Filter("type = {}", expand=exact_types),
            "created_after": Filter("id >= {}", lambda _tenant, second: (first_id("evt", second),)),
        },
    )


LISTING = _listing(_BODY)
# The stored body, with the actor as its last member.
LISTING_WITH_ACTOR = _listing(f"left({_BODY}, -1) || ',\"actor\":' || {_ACTOR} || '}}'", "actor")


# Most events of an asset are readings, which its history leaves out.
@query(
    f"""SELECT body, actor FROM events
       WHERE organization_id = $1 AND about = $2 AND type <> '{TELEMETRY_UPDATED.name}'
       ORDER BY id DESC LIMIT $3"""
)
async def about(db: Database, tenant: TenantId, record_id: str, limit: int) -> list[tuple[bytes, str | None]]:
    """The events of one record, newest first, each with its actor."""


@query(
    f"""SELECT o.telemetry_events OR EXISTS (
               SELECT 1 FROM webhooks w WHERE w.organization_id = $1 AND '{TELEMETRY_UPDATED.name}' = ANY (w.types))
        FROM organizations o WHERE o.id = $1"""
)
async def are_readings_written(db: Database, tenant: TenantId) -> bool: ...


@query("SELECT type, body, actor FROM events WHERE organization_id = $1 AND id = $2")
async def find(db: Database, tenant: TenantId, event_id: str) -> FoundEvent | None: ...
