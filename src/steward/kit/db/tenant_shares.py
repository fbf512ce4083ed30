"""How much of a pool one tenant may use: some connections are always left for the others."""

from steward.kit.db.waiting_line import WaitingLine
from steward.kit.runtime.fair_turns import current_tenant

_BUSY = "Too many requests of yours wait for the database; try again shortly."


class TenantShares:
    """At most three quarters of a pool's connections for one tenant; what is more waits for its own, for no longer than `seconds`."""

    def __init__(self, size: int, seconds: float) -> None:
        self._most = max(1, size - max(1, size // 4))
        self._seconds = seconds
        # By tenant, as long as there is anything.
        self._taken: dict[str, int] = {}
        self._waiting: dict[str, WaitingLine[str]] = {}

    async def take(self) -> str | None:
        """A share for the tenant whose request runs, to be given back; None for work of the service itself, which takes none."""
        tenant = current_tenant()
        if tenant is None:
            return None
        taken = self._taken.get(tenant, 0)
        if taken < self._most:
            self._taken[tenant] = taken + 1
            return tenant
        line = self._waiting.setdefault(tenant, WaitingLine(self._seconds, _BUSY))
        return await line.wait(self.give_back)

    def give_back(self, holder: str | None) -> None:
        if holder is None:
            return
        if (line := self._waiting.get(holder)) is not None:
            if line.hand(holder):
                return
            del self._waiting[holder]
        if (left := self._taken[holder] - 1) > 0:
            self._taken[holder] = left
        else:
            del self._taken[holder]
