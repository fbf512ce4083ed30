"""Everything that the worker does by itself, and how often. What is done is said by the slice that it is done for."""

from steward.access import queries as sessions
from steward.api_keys import queries as api_keys
from steward.assets.commands.jobs import expire_commands, forget_old_commands
from steward.assets.connectivity.jobs import connectivity_job
from steward.bookings.jobs import release_no_shows
from steward.events.feed.queries import note_last_position
from steward.ingest.jobs import apply_changes, run_rule_timers
from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.coordination.processes import COUNT_SECONDS, count_processes, forget_gone_processes
from steward.kit.coordination.rate_limiter import forget_ended_windows
from steward.kit.db.abandoned_transactions import CHECK_SECONDS as ABANDONED_SECONDS
from steward.kit.db.abandoned_transactions import end_abandoned_transactions
from steward.kit.db.idempotency import forget_old_answers
from steward.kit.db.partitions import keep_partitions
from steward.kit.db.pool import Database
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.settings import Settings
from steward.telemetry.jobs import keep_history
from steward.tokens import queries as tokens
from steward.upkeep.clock_skew import CHECK_SECONDS, ClockSkew
from steward.upkeep.figures import FEED_SECONDS, PARTITIONS_SECONDS, FeedDelay, show_partitions
from steward.users.erasure import jobs as erased_users
from steward.users.invitations import queries as invitations
from steward.users.password_resets import queries as password_resets
from steward.visitors.jobs import erase_old_visitors, forget_what_came_late
from steward.webhook_delivery.jobs import OVERDUE_CHECK_SECONDS, OverdueCheck, reconcile
from steward.webhooks.jobs import SubscriptionUpkeep
from steward.webhooks.replays.jobs import forget_old_replays, run_replays
from steward.work_orders.jobs import open_work_orders
from steward.work_orders.sla.jobs import publish_breaches


async def forget_expired(db: Database) -> None:
    now = clock.now()
    await forget_old_answers(db, now)
    await tokens.forget_expired(db, now)
    await api_keys.forget_old_usage(db, now)
    await sessions.forget_expired(db, now)
    await invitations.forget_expired(db, now)
    await password_resets.forget_expired(db, now)
    await forget_ended_windows(db, clock.now_ms())
    await forget_old_replays(db, now)
    await forget_old_commands(db, now)
    await forget_gone_processes(db)


def all_jobs(db: Database, settings: Settings, url: str, heartbeat: Heartbeat) -> list[Job]:
    overdue = OverdueCheck(
        lambda: heartbeat.process, first_wait_ms=int(settings.webhook_retry_schedule[0] * 1000)
    )
    clock_skew = ClockSkew()
    subscriptions = SubscriptionUpkeep()
    feed_delay = FeedDelay()
    retention = settings.visitor_retention_days
    return [
        Job("see what is overdue", OVERDUE_CHECK_SECONDS, lambda: overdue.run(db)),
        Job("note the last position of an event", 60, lambda: note_last_position(db)),
        Job("count processes", COUNT_SECONDS, lambda: count_processes(db)),
        Job("end abandoned transactions", ABANDONED_SECONDS, lambda: end_abandoned_transactions(db)),
        Job("see what holds the feed back", FEED_SECONDS, lambda: feed_delay.look(db)),
        Job("see how far partitions reach", PARTITIONS_SECONDS, lambda: show_partitions(db)),
        Job("keep partitions", 3600, lambda: keep_partitions(url, clock.now())),
        Job("mend what a clock ahead left", CHECK_SECONDS, lambda: clock_skew.mend(db, clock.now_ms())),
        Job("reconcile deliveries", 60, lambda: reconcile(db)),
        Job("forget what has expired", 60, lambda: forget_expired(db)),
        Job("complete subscriptions", 3600, lambda: subscriptions.run(db)),
        Job("replay deliveries", 1, lambda: run_replays(db, clock.now())),
        Job("release no-shows", 15, lambda: release_no_shows(db, clock.now())),
        Job("tell of missed deadlines", 15, lambda: publish_breaches(db, clock.now())),
        Job("give up commands", 5, lambda: expire_commands(db, clock.now())),
        Job("attend to rule timers", 1, lambda: run_rule_timers(db, clock.now())),
        Job("apply changed rules", 1, lambda: apply_changes(db, clock.now())),
        Job("open work orders for alerts", 1, lambda: open_work_orders(db, clock.now())),
        Job("fold history", 300, lambda: keep_history(url, clock.now(), settings.telemetry_retention_days)),
        connectivity_job(db, settings.connectivity_check_seconds),
        Job("erase old visitors", 3600, lambda: erase_old_visitors(db, clock.now(), retention)),
        Job("forget late answers", 30, lambda: forget_what_came_late(db, clock.now())),
        Job(
            "forget late answers about users", 30, lambda: erased_users.forget_what_came_late(db, clock.now())
        ),
    ]
