"""Which worker has which session: a lock in the database while its connection lasts, and a time until which it is renewed."""

from steward.kit.db.sql import sql

# The prefix of sessions in the table of duties, before their number.
DUTY = "mqtt session "

TRY_LOCK = sql("SELECT pg_try_advisory_lock($1, $2)")
UNLOCK = sql("SELECT pg_advisory_unlock($1, $2)")
RENEW = sql(
    """INSERT INTO duties (name, due) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET due = excluded.due"""
)
# Also those that somebody would look after for longer than anybody says: left by a clock that has been set back. Whose
# session is not abandoned holds its lock.
ABANDONED = sql(
    "SELECT name FROM duties WHERE starts_with(name, $1) AND (due < $2 OR due > $3) ORDER BY name"
)
FORGET = sql("DELETE FROM duties WHERE name = $1")
