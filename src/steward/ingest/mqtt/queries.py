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
# Also sessions whose lease ends later than any lease can: left by a clock that has been set back. A worker whose
# session is not abandoned holds its lock.
ABANDONED = sql(
    "SELECT name FROM duties WHERE starts_with(name, $1) AND (due < $2 OR due > $3) ORDER BY name"
)
FORGET = sql("DELETE FROM duties WHERE name = $1")
