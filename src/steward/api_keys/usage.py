"""Counts what each key does: in memory per request, in the database once a second."""

from steward.api_keys import queries
from steward.api_keys.queries import UsageRow
from steward.kit import clock
from steward.kit.caller import Caller
from steward.kit.db import Database

_LONGEST_AGENT = 300


class UsageCounter:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._rows: dict[str, UsageRow] = {}

    def count(self, caller: Caller, *, successful: bool, client: str, user_agent: str) -> None:
        if caller.key is None:
            return
        row = self._rows.get(caller.key)
        if row is None:
            row = self._rows[caller.key] = UsageRow(caller.tenant, caller.key, 0, 0, 0, "", "")
        row.total += 1
        row.successful += successful
        row.last_used = clock.now()
        row.last_used_ip = client
        row.last_user_agent = user_agent[:_LONGEST_AGENT]

    async def write(self) -> None:
        if not self._rows:
            return
        rows, self._rows = self._rows, {}
        try:
            await queries.add_usage(self._db, rows.values())
        except BaseException:
            self._keep(rows)
            raise

    def _keep(self, rows: dict[str, UsageRow]) -> None:
        """The database is away: the counts wait for the next time, together with what has come since."""
        for key, row in rows.items():
            newer = self._rows.setdefault(key, row)
            if newer is not row:
                newer.total += row.total
                newer.successful += row.successful
