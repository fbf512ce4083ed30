from steward.access.queries import FORGET_EXPIRED as FORGET_EXPIRED_SESSIONS
from steward.assets.connectivity.jobs import connectivity_job
from steward.bookings.jobs import release_no_shows
from steward.ingest.rule_timers import apply_changes, run_rule_timers
from steward.kit.db.idempotency import KEPT_SECONDS
from steward.kit.db.partitions import DAY_SECONDS, keep_partitions
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime import clock
from steward.kit.runtime.heartbeat import Heartbeat
from steward.kit.runtime.jobs import Job
from steward.kit.security.rate_limiter import FORGET_ENDED
from steward.settings import Settings
from steward.telemetry.jobs import keep_history
from steward.tokens.queries import FORGET_EXPIRED as FORGET_EXPIRED_TOKENS
from steward.upkeep.clock_skew import LOOK_SECONDS, ClockSkew
from steward.users.invitations.queries import FORGET_EXPIRED as FORGET_EXPIRED_INVITATIONS
from steward.visitors.jobs import erase_old_visitors, forget_what_came_late
from steward.webhook_delivery import overdue
from steward.webhook_delivery.reconcile import reconcile
from steward.webhooks.jobs import complete_subscriptions
from steward.webhooks.replays.jobs import run_replays
from steward.webhooks.replays.model import KEPT_DAYS
from steward.webhooks.replays.queries import FORGET_OLD as FORGET_OLD_REPLAYS
from steward.work_orders.jobs import open_work_orders
from steward.work_orders.sla.jobs import publish_breaches

EVENTS_KEPT_SECONDS = 30 * DAY_SECONDS

_FORGET_ANSWERS = sql(
    "DELETE FROM idempotent_answers WHERE created < $1",
    across="housekeeping takes every tenant's old answers",
)
# By the database's clock: nobody whose lease holds is forgotten because the clock of this machine was set.
_FORGET_PROCESSES = sql("DELETE FROM processes WHERE lease_until < now() - interval '1 hour'")


def all_jobs(db: Database, settings: Settings, url: str, heartbeat: Heartbeat) -> list[Job]:
    overdue_deliveries = overdue.OverdueDeliveries(
        lambda: heartbeat.process, first_wait_ms=int(settings.webhook_retry_schedule[0] * 1000)
    )
    times = ClockSkew()
    retention = settings.visitor_retention_days

    async def forget() -> None:
        now = clock.now()
        await db.execute(_FORGET_ANSWERS, now - KEPT_SECONDS)
        await db.execute(FORGET_EXPIRED_TOKENS, now)
        await db.execute(FORGET_EXPIRED_SESSIONS, now)
        await db.execute(FORGET_EXPIRED_INVITATIONS, now)
        await db.execute(FORGET_ENDED, clock.now_ms())
        await db.execute(FORGET_OLD_REPLAYS, now - KEPT_DAYS * DAY_SECONDS)
        await db.execute(_FORGET_PROCESSES)

    return [
        Job("see what is overdue", overdue.LOOK_SECONDS, lambda: overdue_deliveries.look(db)),
        Job("keep partitions", 3600, lambda: keep_partitions(url, clock.now(), EVENTS_KEPT_SECONDS)),
        Job("mend what a clock ahead left", LOOK_SECONDS, lambda: times.mend(db, clock.now_ms())),
        Job("reconcile deliveries", 60, lambda: reconcile(db)),
        Job("forget what has expired", 60, forget),
        Job("complete subscriptions", 3600, lambda: complete_subscriptions(db)),
        Job("replay deliveries", 1, lambda: run_replays(db, clock.now())),
        Job("release no-shows", 15, lambda: release_no_shows(db, clock.now())),
        Job("tell of missed deadlines", 15, lambda: publish_breaches(db, clock.now())),
        Job("attend to rule timers", 1, lambda: run_rule_timers(db, clock.now())),
        Job("apply changed rules", 1, lambda: apply_changes(db, clock.now())),
        Job("open work orders for alerts", 1, lambda: open_work_orders(db, clock.now())),
        Job("fold history", 300, lambda: keep_history(url, clock.now(), settings.telemetry_retention_days)),
        connectivity_job(db, settings.connectivity_check_seconds),
        Job("erase old visitors", 3600, lambda: erase_old_visitors(db, clock.now(), retention)),
        Job("forget late answers", 30, lambda: forget_what_came_late(db, clock.now())),
    ]
