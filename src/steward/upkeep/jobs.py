from steward.access.sessions import FORGET_EXPIRED as FORGET_EXPIRED_SESSIONS
from steward.kit import clock
from steward.kit.db import Database
from steward.kit.idempotency import KEPT_SECONDS
from steward.kit.ids import new_id
from steward.kit.limiter import FORGET_ENDED
from steward.kit.sql import sql
from steward.kit.worker import Job
from steward.settings import Settings
from steward.tokens.queries import FORGET_EXPIRED as FORGET_EXPIRED_TOKENS
from steward.upkeep.bookings import release_no_shows
from steward.upkeep.sla import tell_of_breaches
from steward.upkeep.visitors import erase_old_visitors

HEARTBEAT_SECONDS = 2

_HEARTBEAT = sql(
    """INSERT INTO processes (id, kind, seen, lease_until)
       VALUES ($1, 'worker', $2, now() + interval '1 hour')
       ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lease_until = excluded.lease_until"""
)
_FORGET_ANSWERS = sql(
    "DELETE FROM idempotent_answers WHERE created < $1",
    across="housekeeping takes every tenant's old answers",
)
_FORGET_PROCESSES = sql("DELETE FROM processes WHERE seen < $1")
NEWEST_HEARTBEAT = sql("SELECT max(seen) FROM processes WHERE kind = 'worker'")


def all_jobs(db: Database, settings: Settings) -> list[Job]:
    process = new_id("prc")
    retention = settings.visitor_retention_days

    async def heartbeat() -> None:
        await db.execute(_HEARTBEAT, process, clock.now())

    async def forget() -> None:
        now = clock.now()
        await db.execute(_FORGET_ANSWERS, now - KEPT_SECONDS)
        await db.execute(FORGET_EXPIRED_TOKENS, now)
        await db.execute(FORGET_EXPIRED_SESSIONS, now)
        await db.execute(FORGET_ENDED, clock.now_ms())
        await db.execute(_FORGET_PROCESSES, now - 3600)

    return [
        Job("heartbeat", HEARTBEAT_SECONDS, heartbeat),
        Job("forget what has expired", 60, forget),
        Job("release no-shows", 15, lambda: release_no_shows(db, clock.now())),
        Job("tell of missed deadlines", 15, lambda: tell_of_breaches(db, clock.now())),
        Job("erase old visitors", 3600, lambda: erase_old_visitors(db, clock.now(), retention)),
    ]
