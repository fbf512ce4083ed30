"""The checks of `steward doctor`: what must be true, and the query that finds what contradicts it.

A query reads a bounded number of rows for each tenant, or an index of its own that should be empty.
"""

from collections.abc import Sequence
from typing import Any

from steward.events.model import RETENTION_DAYS
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.query import Sql, query, sql
from steward.operations.doctor.model import SHOWN, Check, State
from steward.webhooks.deliveries.queries import DELIVERY_ID, MATCHES

_CATALOGUE = "the catalogue has no tenants"
_EVENTS_LOOKED_AT = 500
_NUMBERS_LOOKED_AT = 1000


def _of_all(text: str) -> Sql:
    across = "the doctor looks over the deployment as a whole"
    return sql(f"{text} LIMIT {SHOWN}", across=across, seconds=120)


def _of_catalogue(text: str) -> Sql:
    return sql(text, across=_CATALOGUE)


def _utc(moment: str) -> str:
    return f"""to_char({moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""


_OVERDUE = _of_all(
    f"""SELECT d.organization_id || ': ' || d.id || ' is due since '
              || {_utc("to_timestamp(d.due / 1000)")}
       FROM deliveries d
       WHERE d.due IS NOT NULL AND d.due < $1::bigint - $2::bigint AND d.status IN ('pending', 'retrying')"""
)

CHECKS = (
    Check(
        "events have their deliveries",
        "every event has a delivery for each webhook that subscribes to it",
        # Of each webhook the newest events since it was created, by both identifiers, and since it was last changed. Filters that
        # include everything within a location are left out: what was there at the time of the event is no longer known.
        _of_all(
            f"""WITH event_places AS (SELECT NULL::text AS organization_id, NULL::jsonb AS chains WHERE false)
                SELECT w.organization_id || ': ' || new_events.id || ' (' || new_events.type || ') and webhook ' || w.id
                FROM webhooks w CROSS JOIN LATERAL (
                    SELECT e.id, e.type, e.about, e.attributes FROM events e
                    WHERE e.organization_id = w.organization_id AND e.created * 1000 > w.updated_at
                          AND substr(e.id, 5) > substr(w.id, 5)
                    ORDER BY e.id DESC LIMIT {_EVENTS_LOOKED_AT}
                ) new_events
                WHERE w.filter_descends IS NOT TRUE AND new_events.type = ANY (w.types) AND {MATCHES}
                      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_id = w.organization_id AND d.id = {DELIVERY_ID})"""
        ),
    ),
    Check(
        "deliveries have an end",
        "every delivery is finished or has a next attempt",
        _of_all(
            """SELECT d.organization_id || ': ' || d.id || ' is ' || d.status || ' and has no time for its next attempt'
               FROM deliveries d WHERE d.due IS NULL AND d.status IN ('pending', 'retrying')"""
        ),
    ),
    # A slow receiver delays its own deliveries, though not for days.
    Check(
        "deliveries are made",
        "no delivery has waited more than a day past its time",
        _OVERDUE,
        given=("now_ms", "day_ms"),
    ),
    Check(
        "deliveries are made in time",
        "no delivery has waited more than ten minutes past its time",
        _OVERDUE,
        given=("now_ms", "ten_minutes_ms"),
        otherwise=State.WARN,
    ),
    Check(
        "deliveries wait no longer than retries do",
        "no delivery waits for longer than any retry does",
        _of_all(
            f"""SELECT d.organization_id || ': ' || d.id || ' waits until '
                      || {_utc("to_timestamp(d.due / 1000)")}
               FROM deliveries d
               WHERE d.due IS NOT NULL AND d.due > $1::bigint + $2::bigint AND d.status IN ('pending', 'retrying')"""
        ),
        given=("now_ms", "longest_wait_ms"),
    ),
    Check(
        "work-order numbers have no gap",
        "there is no gap in the numbers of work orders",
        # A deleted order leaves a gap and an event. So among orders that are younger than the oldest event, no more numbers are
        # missing than orders were deleted.
        _of_all(
            f"""SELECT c.organization_id || ': ' || found.missing || ' numbers up to ' || c.last || ' are missing, '
                       || events_of.deleted || ' orders were deleted'
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
                ) events_of
                WHERE c.name = 'work order' AND found.missing > events_of.deleted"""
        ),
        given=("now",),
    ),
    Check(
        "work-order numbers are counted",
        "no work order has a number beyond its counter",
        _of_all(
            """SELECT o.id || ': work order ' || newest.number || ' is beyond the counter, ' || coalesce(c.last, 0)
               FROM organizations o
               CROSS JOIN LATERAL (SELECT w.number FROM work_orders w WHERE w.organization_id = o.id
                                   ORDER BY w.number DESC LIMIT 1) newest
               LEFT JOIN counters c ON c.organization_id = o.id AND c.name = 'work order'
               WHERE newest.number > coalesce(c.last, 0)"""
        ),
    ),
    Check(
        "API keys have an organization",
        "every API key belongs to an existing organization",
        # API keys have no foreign key to their organization.
        _of_all(
            """SELECT 'key ' || k.id || ' is of ' || k.organization_id FROM api_keys k
               WHERE NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = k.organization_id)"""
        ),
    ),
    Check(
        "a worker runs",
        "a worker has a current heartbeat",
        sql(
            """SELECT 'no worker has had a heartbeat in the last minute'
               WHERE NOT EXISTS (SELECT 1 FROM processes WHERE kind = 'worker' AND lease_until > now() - interval '1 minute')"""
        ),
        otherwise=State.WARN,
    ),
    Check(
        "no transaction is left prepared",
        "no prepared transaction holds the change feed back",
        _of_catalogue(
            f"""SELECT gid || ' is prepared since ' || {_utc("prepared")}
                FROM pg_prepared_xacts WHERE prepared < now() - make_interval(secs => $1::int) ORDER BY prepared LIMIT {SHOWN}"""
        ),
        given=("long_transaction_seconds",),
    ),
    Check(
        "transactions are short",
        "no open transaction holds the change feed back",
        _of_catalogue(
            f"""SELECT 'process ' || pid || ' (' || coalesce(nullif(application_name, ''), 'unnamed') || ', database '
                       || coalesce(datname, '?') || ') writes since '
                       || {_utc("xact_start")}
                FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND xact_start < now() - make_interval(secs => $1::int)
                ORDER BY xact_start LIMIT {SHOWN}"""
        ),
        given=("long_transaction_seconds",),
        otherwise=State.WARN,
    ),
    Check(
        "indexes are valid",
        "every index is valid",
        _of_catalogue(
            f"""SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                WHERE NOT (i.indisvalid AND i.indisready) AND c.relnamespace = current_schema()::regnamespace LIMIT {SHOWN}"""
        ),
    ),
    Check(
        "constraints are validated",
        "every constraint holds for all rows",
        _of_catalogue(
            f"""SELECT k.conrelid::regclass || ': ' || k.conname FROM pg_constraint k
                WHERE NOT k.convalidated AND k.connamespace = current_schema()::regnamespace LIMIT {SHOWN}"""
        ),
    ),
    Check(
        "connections are enough",
        "the server takes as many connections as the processes may need",
        _of_catalogue(
            """SELECT 'max_connections is ' || current_setting('max_connections')
                      || ', the processes of this machine may take ' || $1::int
               WHERE current_setting('max_connections')::int < $1::int"""
        ),
        given=("connections",),
        otherwise=State.WARN,
    ),
    Check(
        "the server keeps confirmed writes",
        "the server flushes confirmed writes to disk, and vacuums",
        _of_catalogue(
            """SELECT name || ' is ' || setting FROM pg_settings
               WHERE name IN ('fsync', 'full_page_writes', 'autovacuum') AND setting = 'off' ORDER BY name"""
        ),
    ),
)

_CLOCK = _of_catalogue("SELECT extract(epoch FROM clock_timestamp())::float8")
_TRANSACTION_AGE = _of_catalogue(
    "SELECT datname::text, age(datfrozenxid) FROM pg_database WHERE datname = current_database()"
)


async def evidence(connection: DatabaseConnection, check: Check, values: Sequence[Any]) -> list[str]:
    return [row[0] for row in await connection.run(check.contradicted_by, *values)]


@query("SELECT extract(epoch FROM clock_timestamp())::float8", across=_CATALOGUE)
async def database_clock(connection: DatabaseConnection) -> float: ...


@query(
    "SELECT datname::text, age(datfrozenxid) FROM pg_database WHERE datname = current_database()",
    across=_CATALOGUE,
)
async def transaction_age(connection: DatabaseConnection) -> tuple[str, int]:
    """The database's name, and how old the oldest transaction is that vacuum has yet to see."""
