"""What the worker does for the database and the deployment as a whole."""

from steward.kit.coordination.processes import COUNT_SECONDS, count_processes, delete_gone_processes
from steward.kit.coordination.rate_limiter import delete_ended_windows
from steward.kit.db.abandoned_transactions import CHECK_SECONDS as ABANDONED_SECONDS
from steward.kit.db.abandoned_transactions import end_abandoned_transactions
from steward.kit.db.idempotency import delete_old_answers
from steward.kit.db.partitions import keep_partitions
from steward.kit.db.table_kinds import TableKind
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.web.slice import JobParts, Slice
from steward.upkeep.clock_skew import CHECK_SECONDS, ClockSkew
from steward.upkeep.figures import FEED_SECONDS, PARTITIONS_SECONDS, FeedDelay, show_partitions


def jobs(parts: JobParts) -> list[Job]:
    db, clock_skew, feed_delay = parts.db, ClockSkew(), FeedDelay()
    return [
        Job("count_processes", COUNT_SECONDS, lambda: count_processes(db)),
        Job("end_abandoned_transactions", ABANDONED_SECONDS, lambda: end_abandoned_transactions(db)),
        Job("measure_feed_delay", FEED_SECONDS, lambda: feed_delay.look(db)),
        Job("measure_partitions_ahead", PARTITIONS_SECONDS, lambda: show_partitions(db)),
        Job("keep_partitions", 3600, lambda: keep_partitions(parts.url, clock.now())),
        Job("repair_clock_skew", CHECK_SECONDS, lambda: clock_skew.repair(db, clock.now_ms())),
    ]


SLICE = Slice(
    name="upkeep",
    tables=("idempotent_answers",),
    other_tables=dict.fromkeys(
        ("duties", "processes", "rate_windows", "schema_migrations", "search_forms"), TableKind.LOCAL
    ),
    jobs=jobs,
    expired=(
        delete_old_answers,
        lambda db, _now: delete_ended_windows(db, clock.now_ms()),
        lambda db, _now: delete_gone_processes(db),
    ),
)
