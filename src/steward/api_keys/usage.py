"""Counts what each key does: in memory per request, in the database once a second."""

import msgspec

from steward.api_keys import queries
from steward.api_keys.model import UsageRow
from steward.kit.db.pool import Database
from steward.kit.security.caller import Caller, RequestOrigin

_MAX_AGENT_LENGTH = 300


class _Count(msgspec.Struct):
    caller: Caller
    last: RequestOrigin
    last_used: int = 0
    successful: int = 0
    total: int = 0

    def row(self) -> UsageRow:
        agent = self.last.headers.get("user-agent", "")[:_MAX_AGENT_LENGTH]
        key = self.caller.key or ""
        return UsageRow(
            self.caller.tenant, key, self.total, self.successful, self.last_used, self.last.client, agent
        )


class UsageCounter:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._counts: dict[str, _Count] = {}

    def count(self, caller: Caller, origin: RequestOrigin, *, successful: bool, now: int) -> None:
        if caller.key is None:
            return
        count = self._counts.get(caller.key)
        if count is None:
            count = self._counts[caller.key] = _Count(caller, origin)
        count.total += 1
        count.successful += successful
        count.last_used = now
        count.last = origin

    async def write(self) -> None:
        if not self._counts:
            return
        counts, self._counts = self._counts, {}
        try:
            await queries.add_usage(self._db, [count.row() for count in counts.values()])
        except BaseException:
            self._keep(counts)
            raise

    def _keep(self, counts: dict[str, _Count]) -> None:
        """The database is away: the counts stay for the next attempt, with those added since."""
        for key, count in counts.items():
            newer = self._counts.setdefault(key, count)
            if newer is not count:
                newer.total += count.total
                newer.successful += count.successful
