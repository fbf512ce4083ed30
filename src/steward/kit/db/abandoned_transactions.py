"""Ends transactions whose client has disappeared, where PostgreSQL itself would wait for ever.

A server ends a session that is idle in a transaction. But between preparing a statement and running it a session counts as
active, and none of the server's timeouts is running. If the network drops the connection in that moment, the transaction stays
open: it keeps its locks (a request that is sent again with its Idempotency-Key would be "still running" for ever), and if it has
written, it holds the change feed back for everybody. `transaction_timeout` would help from PostgreSQL 17 on.
"""

from steward.kit.db.pool import Database
from steward.kit.db.session_settings import IDLE_IN_TRANSACTION_SECONDS
from steward.kit.db.sql import sql
from steward.kit.runtime.log import log

CHECK_SECONDS = 5

# A backup or a restore may wait for a slow disk in the middle of its COPY.
_TERMINATE = sql(
    """SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'steward' AND pg_has_role(usesysid, 'USAGE')
         AND state = 'active' AND wait_event_type = 'Client'
         AND query_start < clock_timestamp() - make_interval(secs => $1) AND query NOT ILIKE 'COPY %'""",
    across="sessions have no tenants",
)


async def end_abandoned_transactions(db: Database, *, seconds: float = IDLE_IN_TRANSACTION_SECONDS) -> int:
    """Those whose client has sent and read nothing for `seconds`. Returns their number."""
    rows = await db.fetch(_TERMINATE, seconds)
    if rows:
        log.warning("ended transactions whose connection was lost", sessions=[row[0] for row in rows])
    return len(rows)
