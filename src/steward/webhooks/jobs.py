"""Adds the event types of a new version to `*` and groups such as `asset.*`.

The statement that stores an event matches subscriptions by exact types. So an API process completes them
before its first request, and a worker when it starts: each knows at least the types that it can publish.
"""

from steward.kit.db.pool import Database
from steward.kit.events.event_types import ALL
from steward.kit.events.patterns import groups
from steward.kit.runtime import clock
from steward.kit.security.permissions import Permission
from steward.webhooks import queries
from steward.webhooks.subscription import subscribed_types

# How far the clocks of processes that write webhooks may be behind ours.
_SKEW_MS = 600_000


class SubscriptionUpkeep:
    """First for all webhooks, then for those written since, perhaps by a process of an older version."""

    def __init__(self) -> None:
        self._since_ms = 0

    async def run(self, db: Database) -> int:
        now_ms = clock.now_ms()
        completed = await complete_subscriptions(db, self._since_ms)
        self._since_ms = now_ms - _SKEW_MS
        return completed


async def complete_subscriptions(db: Database, since_ms: int = 0) -> int:
    """Returns how many webhooks lacked a type.

    It only adds, so that processes of two versions don't undo each other.
    """
    completed = 0
    for pattern in groups():
        for permission, types in _by_permission(subscribed_types([pattern])).items():
            for tenant, webhook_id in await queries.missing_types(db, pattern, types, permission, since_ms):
                await queries.add_types(db, tenant, webhook_id, types)
                completed += 1
    return completed


def _by_permission(types: list[str]) -> dict[Permission, list[str]]:
    """A webhook gets the types of its groups that its maker may read."""
    found: dict[Permission, list[str]] = {}
    for name in types:
        found.setdefault(ALL[name].permission, []).append(name)
    return found
