from steward.kit.db.query import Database, query, sql
from steward.kit.records.archiving import PRESENT
from steward.kit.security.caller import TenantId

# Counts stop at a limit.
COUNTED = 10_000
# Of what is in sight, as on the lists to which the counts lead.
_AT = "organization_id = $1 AND location_id = ANY ($2::text[])"
_COUNTS_AT = sql(
    f"""SELECT (SELECT count(*) FROM (SELECT 1 FROM assets WHERE {_AT} AND {PRESENT} LIMIT {COUNTED}) a),
               (SELECT count(*) FROM (SELECT 1 FROM bookable_resources WHERE {_AT} AND {PRESENT} LIMIT {COUNTED}) b),
               (SELECT count(*) FROM (SELECT 1 FROM visitors
                    WHERE {_AT} AND status = 'CheckedIn' LIMIT {COUNTED}) c)"""
)


# Workers write heartbeats by the database's clock, so it also judges their age. A heartbeat
# from the future was written before that clock was set back and is ignored.
@query(
    """SELECT count(*) > 0, max(clock.seconds - oldest_due / 1000)
       FROM processes, (SELECT extract(epoch FROM now())::bigint AS seconds) clock
       WHERE kind = 'worker' AND abs(clock.seconds - seen) <= $1"""
)
async def worker_health(db: Database, stale_seconds: int) -> tuple[bool, int | None]:
    """Whether a worker sent a heartbeat lately, and for how many seconds the oldest delivery has been due."""


# Without a table of its own.
@query("SELECT lo_unlink(lo_from_bytea(0, $1))")
async def write_and_forget(db: Database, data: bytes) -> None: ...


async def counts_at(
    db: Database, tenant: TenantId, location_id: str, below: list[str]
) -> dict[str, tuple[int, int]]:
    """By kind: how many records are at the location itself, and how many including the locations below."""
    [here] = await db.fetch(_COUNTS_AT, tenant, [location_id])
    [within] = await db.fetch(_COUNTS_AT, tenant, below)
    return dict(zip(("assets", "resources", "visitors"), zip(here, within, strict=True), strict=True))
