"""The checks of `steward doctor`: what must be true, and the query that finds what contradicts it."""

from steward.operations.doctor import queries
from steward.operations.doctor.model import Check, State

CHECKS: tuple[Check, ...] = (
    Check(
        name="events have their deliveries",
        sentence="every event has a delivery for each webhook that subscribes to it",
        contradicted_by=queries.WITHOUT_DELIVERY,
    ),
    Check(
        name="deliveries have an end",
        sentence="every delivery is finished or has a next attempt",
        contradicted_by=queries.WITHOUT_END,
    ),
    # A slow receiver delays its own deliveries, though not for days.
    Check(
        name="deliveries are made",
        sentence="no delivery has waited more than a day past its time",
        contradicted_by=queries.OVERDUE,
        given=("now_ms", "day_ms"),
    ),
    Check(
        name="deliveries are made in time",
        sentence="no delivery has waited more than ten minutes past its time",
        contradicted_by=queries.OVERDUE,
        given=("now_ms", "ten_minutes_ms"),
        otherwise=State.WARN,
    ),
    Check(
        name="deliveries wait no longer than retries do",
        sentence="no delivery waits for longer than any retry does",
        contradicted_by=queries.DUE_TOO_LATE,
        given=("now_ms", "longest_wait_ms"),
    ),
    Check(
        name="work-order numbers have no gap",
        sentence="there is no gap in the numbers of work orders",
        contradicted_by=queries.NUMBERS,
        given=("now",),
    ),
    Check(
        name="work-order numbers are counted",
        sentence="no work order has a number beyond its counter",
        contradicted_by=queries.NUMBERS_AHEAD,
    ),
    Check(
        name="API keys have an organization",
        sentence="every API key belongs to an existing organization",
        contradicted_by=queries.KEYS_WITHOUT_ORGANIZATION,
    ),
    Check(
        name="a worker runs",
        sentence="a worker has a current heartbeat",
        contradicted_by=queries.NO_WORKER,
        otherwise=State.WARN,
    ),
    Check(
        name="no transaction is left prepared",
        sentence="no prepared transaction holds the change feed back",
        contradicted_by=queries.PREPARED,
        given=("long_transaction_seconds",),
    ),
    Check(
        name="transactions are short",
        sentence="no open transaction holds the change feed back",
        contradicted_by=queries.LONG_TRANSACTIONS,
        given=("long_transaction_seconds",),
        otherwise=State.WARN,
    ),
    Check(name="indexes are valid", sentence="every index is valid", contradicted_by=queries.INVALID_INDEXES),
    Check(
        name="constraints are validated",
        sentence="every constraint holds for all rows",
        contradicted_by=queries.UNVALIDATED,
    ),
    Check(
        name="connections are enough",
        sentence="the server takes as many connections as the processes may need",
        contradicted_by=queries.CONNECTIONS,
        given=("connections",),
        otherwise=State.WARN,
    ),
    Check(
        name="the server keeps confirmed writes",
        sentence="the server flushes confirmed writes to disk, and vacuums",
        contradicted_by=queries.UNSAFE_SETTINGS,
    ),
)
