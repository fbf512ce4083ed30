"""What must be true of the data and of the server: each sentence with the statement that finds what contradicts it.

A statement looks at a bounded number of rows for each tenant, or at what has an index of its own and should be empty.
"""

from collections.abc import Sequence
from typing import Any

from steward.events.model import RETENTION_DAYS
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.sql import sql
from steward.operations.doctor.model import SHOWN, Check, State
from steward.webhooks.deliveries.queries import DELIVERY_ID, MATCHES

_ALL = "the doctor looks over the deployment as a whole"
_CATALOGUE = "the catalogue has no tenants"
_SECONDS = 120

# Of each webhook the newest events since it was made, by both identifiers, and since it was last changed. Where a filter takes
# a location for all that lies in it, what lay there when the event happened can't be told any more.
_EVENTS_LOOKED_AT = 500
_WITHOUT_DELIVERY = sql(
    f"""WITH event_places AS (SELECT NULL::text AS organization_id, NULL::jsonb AS chains WHERE false)
        SELECT w.organization_id || ': ' || new_events.id || ' (' || new_events.type || ') and webhook ' || w.id
        FROM webhooks w CROSS JOIN LATERAL (
            SELECT e.id, e.type, e.about, e.attributes FROM events e
            WHERE e.organization_id = w.organization_id AND e.created * 1000 > w.updated_at
                  AND substr(e.id, 5) > substr(w.id, 5)
            ORDER BY e.id DESC LIMIT {_EVENTS_LOOKED_AT}
        ) new_events
        WHERE w.filter_descends IS NOT TRUE AND new_events.type = ANY (w.types) AND {MATCHES}
              AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_id = w.organization_id AND d.id = {DELIVERY_ID})
        LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)

_WITHOUT_END = sql(
    f"""SELECT d.organization_id || ': ' || d.id || ' is ' || d.status || ' and has no time for its next attempt'
        FROM deliveries d WHERE d.due IS NULL AND d.status IN ('pending', 'retrying') LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)
_OVERDUE = sql(
    f"""SELECT d.organization_id || ': ' || d.id || ' is due since '
               || to_char(to_timestamp(d.due / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        FROM deliveries d
        WHERE d.due IS NOT NULL AND d.due < $1::bigint - $2::bigint AND d.status IN ('pending', 'retrying')
        LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)
_DUE_TOO_LATE = sql(
    f"""SELECT d.organization_id || ': ' || d.id || ' waits until '
               || to_char(to_timestamp(d.due / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        FROM deliveries d
        WHERE d.due IS NOT NULL AND d.due > $1::bigint + $2::bigint AND d.status IN ('pending', 'retrying')
        LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)

# An order that was deleted leaves its number, and an event. So among orders that are younger than the oldest event, no more
# numbers are missing than orders were deleted.
_NUMBERS_LOOKED_AT = 1000
_NUMBERS = sql(
    f"""SELECT c.organization_id || ': ' || found.missing || ' numbers up to ' || c.last || ' are missing, '
               || told.deleted || ' orders were deleted'
        FROM counters c
        CROSS JOIN LATERAL (
            SELECT count(*) AS there, min(w.number) AS lowest, c.last - min(w.number) + 1 - count(*) AS missing
            FROM work_orders w
            WHERE w.organization_id = c.organization_id AND w.number > c.last - {_NUMBERS_LOOKED_AT} AND w.number <= c.last
                  AND w.created > $1::bigint - {(RETENTION_DAYS - 1) * 86_400}
        ) found
        CROSS JOIN LATERAL (
            SELECT count(*) AS deleted FROM (
                SELECT 1 FROM events e WHERE e.organization_id = c.organization_id AND e.type = 'workorder.deleted'
                LIMIT {_NUMBERS_LOOKED_AT}) e
        ) told
        WHERE c.name = 'work order' AND found.missing > told.deleted
        LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)
_NUMBERS_AHEAD = sql(
    f"""SELECT o.id || ': work order ' || newest.number || ' is beyond the counter, ' || coalesce(c.last, 0)
        FROM organizations o
        CROSS JOIN LATERAL (SELECT w.number FROM work_orders w WHERE w.organization_id = o.id
                            ORDER BY w.number DESC LIMIT 1) newest
        LEFT JOIN counters c ON c.organization_id = o.id AND c.name = 'work order'
        WHERE newest.number > coalesce(c.last, 0)
        LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)
# Keys are found without their organization, and so refer to none.
_KEYS_OF_NOBODY = sql(
    f"""SELECT 'key ' || k.id || ' is of ' || k.organization_id FROM api_keys k
        WHERE NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = k.organization_id) LIMIT {SHOWN}""",
    across=_ALL,
    seconds=_SECONDS,
)
_NO_WORKER = sql(
    """SELECT 'no worker has given a sign of life in the last minute'
       WHERE NOT EXISTS (SELECT 1 FROM processes WHERE kind = 'worker' AND lease_until > now() - interval '1 minute')"""
)
_PREPARED = sql(
    f"""SELECT gid || ' is prepared since ' || to_char(prepared AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        FROM pg_prepared_xacts WHERE prepared < now() - make_interval(secs => $1::int) ORDER BY prepared LIMIT {SHOWN}""",
    across=_CATALOGUE,
)
_LONG_TRANSACTIONS = sql(
    f"""SELECT 'process ' || pid || ' (' || coalesce(nullif(application_name, ''), 'unnamed') || ', database '
               || coalesce(datname, '?') || ') writes since '
               || to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND xact_start < now() - make_interval(secs => $1::int)
        ORDER BY xact_start LIMIT {SHOWN}""",
    across=_CATALOGUE,
)
_INVALID_INDEXES = sql(
    f"""SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE NOT (i.indisvalid AND i.indisready) AND c.relnamespace = current_schema()::regnamespace LIMIT {SHOWN}""",
    across=_CATALOGUE,
)
_UNVALIDATED = sql(
    f"""SELECT k.conrelid::regclass || ': ' || k.conname FROM pg_constraint k
        WHERE NOT k.convalidated AND k.connamespace = current_schema()::regnamespace LIMIT {SHOWN}""",
    across=_CATALOGUE,
)
_CONNECTIONS = sql(
    """SELECT 'max_connections is ' || current_setting('max_connections')
              || ', the processes of this machine may take ' || $1::int
       WHERE current_setting('max_connections')::int < $1::int""",
    across=_CATALOGUE,
)
_UNSAFE_SETTINGS = sql(
    """SELECT name || ' is ' || setting FROM pg_settings
       WHERE name IN ('fsync', 'full_page_writes', 'autovacuum') AND setting = 'off' ORDER BY name""",
    across=_CATALOGUE,
)
CHECKS: tuple[Check, ...] = (
    Check(
        name="events have their deliveries",
        sentence="no event is without its delivery to a webhook that wants it",
        contradicted_by=_WITHOUT_DELIVERY,
    ),
    Check(
        name="deliveries have an end",
        sentence="no delivery is without an end or a next attempt",
        contradicted_by=_WITHOUT_END,
    ),
    # A receiver that is slow keeps its own deliveries waiting, though not for days.
    Check(
        name="deliveries are made",
        sentence="no delivery has waited more than a day past its time",
        contradicted_by=_OVERDUE,
        given=("now_ms", "day_ms"),
    ),
    Check(
        name="deliveries are made in time",
        sentence="no delivery has waited more than ten minutes past its time",
        contradicted_by=_OVERDUE,
        given=("now_ms", "ten_minutes_ms"),
        otherwise=State.WARN,
    ),
    Check(
        name="deliveries wait no longer than retries do",
        sentence="no delivery waits for longer than any retry does",
        contradicted_by=_DUE_TOO_LATE,
        given=("now_ms", "longest_wait_ms"),
    ),
    Check(
        name="work-order numbers have no gap",
        sentence="there is no gap in the numbers of work orders",
        contradicted_by=_NUMBERS,
        given=("now",),
    ),
    Check(
        name="work-order numbers are counted",
        sentence="no work order has a number beyond its counter",
        contradicted_by=_NUMBERS_AHEAD,
    ),
    Check(
        name="API keys have an organization",
        sentence="every API key is of an organization that is there",
        contradicted_by=_KEYS_OF_NOBODY,
    ),
    Check(
        name="a worker runs",
        sentence="a worker gives signs of life",
        contradicted_by=_NO_WORKER,
        otherwise=State.WARN,
    ),
    Check(
        name="no transaction is left prepared",
        sentence="no prepared transaction keeps the change feed back",
        contradicted_by=_PREPARED,
        given=("long_transaction_seconds",),
    ),
    Check(
        name="transactions are short",
        sentence="no open transaction keeps the change feed back",
        contradicted_by=_LONG_TRANSACTIONS,
        given=("long_transaction_seconds",),
        otherwise=State.WARN,
    ),
    Check(name="indexes are valid", sentence="every index is valid", contradicted_by=_INVALID_INDEXES),
    Check(
        name="constraints are validated",
        sentence="every constraint holds for all rows",
        contradicted_by=_UNVALIDATED,
    ),
    Check(
        name="connections are enough",
        sentence="the server takes as many connections as the processes may need",
        contradicted_by=_CONNECTIONS,
        given=("connections",),
        otherwise=State.WARN,
    ),
    Check(
        name="the server keeps what it was told",
        sentence="the server writes to disk what it confirms, and cleans up",
        contradicted_by=_UNSAFE_SETTINGS,
    ),
)

_CLOCK = sql("SELECT extract(epoch FROM clock_timestamp())::float8", across=_CATALOGUE)
_TRANSACTION_AGE = sql(
    "SELECT datname::text, age(datfrozenxid) FROM pg_database WHERE datname = current_database()",
    across=_CATALOGUE,
)


async def evidence(connection: DatabaseConnection, check: Check, values: Sequence[Any]) -> list[str]:
    return [row[0] for row in await connection.run(check.contradicted_by, *values)]


async def database_clock(connection: DatabaseConnection) -> float:
    return float((await connection.run(_CLOCK))[0][0])


async def transaction_age(connection: DatabaseConnection) -> tuple[str, int]:
    """The database's name, and how old the oldest transaction is that vacuum has yet to see."""
    [(name, age)] = await connection.run(_TRANSACTION_AGE)
    return name, age
