"""Who has which session: a lock in the database for as long as a connection lasts, and until when a session is looked after."""

from steward.kit.db.sql import sql

# What the table of duties calls a session, before its number.
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
