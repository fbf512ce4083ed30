"""Lets `*` and groups such as `asset.*` pick up the event types that a new version brings.

Who is told of an event is decided in the statement that stores it, by exact types. So an API process completes these before
it takes its first request, and a worker when it starts: each knows at least the types that it can tell of.
"""

from steward.kit.db.pool import Database
from steward.kit.events.patterns import groups
from steward.webhooks import queries
from steward.webhooks.subscription import subscribed_types


async def complete_subscriptions(db: Database) -> int:
    """Returns how many webhooks lacked a type. Only ever adds, so that processes of two versions don't undo each other."""
    completed = 0
    for pattern in groups():
        types = subscribed_types([pattern])
        for tenant, webhook_id in await queries.missing_types(db, pattern, types):
            await queries.add_types(db, tenant, webhook_id, types)
            completed += 1
    return completed
