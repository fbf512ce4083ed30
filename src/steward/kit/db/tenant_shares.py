"""How much of a pool one tenant may use: some connections, and the server's time, are always left for others.

Long statements of one tenant would otherwise keep every core of the server busy, however many connections are left.
"""

from collections.abc import Callable
from math import exp, inf, log
from time import perf_counter

from steward.kit.db.wait_queue import WaitQueue
from steward.kit.runtime.fair_turns import current_tenant

_BUSY = "Too many requests of yours wait for the database; try again shortly."
# Past usage decays by half every second. A tenant counts as present for a second after its last statement.
_FADING = log(2)
_PRESENT_SECONDS = 1.0
# With more tenants than this, those whose usage has faded are dropped.
_KEPT = 1024
_FADED = 0.01


class _Share:
    """The connections of one tenant."""

    __slots__ = ("_usual", "as_of", "line", "taken")

    def __init__(self, line: WaitQueue[str]) -> None:
        self.line = line
        self.taken = 0
        # A moving average of the connections it has held, and when that was updated.
        self._usual, self.as_of = 0.0, -inf

    def usual(self, now: float) -> float:
        return self.taken + (self._usual - self.taken) * exp((self.as_of - now) * _FADING)

    def change(self, count: int, now: float) -> None:
        self._usual, self.as_of = self.usual(now), now
        self.taken += count


class TenantShares:
    """At most three quarters of a pool's connections for one tenant; further requests wait for its own, for up to `seconds`.

    While others are present, a tenant that uses more than a quarter for long is limited to about that.
    """

    def __init__(self, size: int, seconds: float, clock: Callable[[], float] = perf_counter) -> None:
        self._quarter = max(1, size // 4)
        self._most = max(1, size - self._quarter)
        self._seconds = seconds
        self._clock = clock
        self._shares: dict[str, _Share] = {}
        # The share of the last statement, and when another tenant was last present.
        self._last = self._new_share()
        self._other_seen = -inf

    async def take(self) -> str | None:
        """Takes a connection's share for the tenant of the current request, to be given back; None for work of the service itself."""
        tenant = current_tenant()
        if tenant is None:
            return None
        share, now = self._share(tenant), self._clock()
        if share is not self._last:
            self._other_seen, self._last = self._last.as_of, share
        if share.taken < self._allowed(share, now):
            share.change(1, now)
            return tenant
        return await share.line.wait(self.give_back)

    def give_back(self, holder: str | None) -> None:
        if holder is None:
            return
        share, now = self._shares[holder], self._clock()
        share.change(-1, now)
        while share.taken < self._allowed(share, now) and share.line.hand(holder):
            share.change(1, now)

    def _allowed(self, share: _Share, now: float) -> float:
        if share.taken < self._quarter:
            return self._quarter
        other_seen = self._other_seen if share is self._last else self._last.as_of
        if now - other_seen > _PRESENT_SECONDS:
            return self._most
        # Three quarters if it usually needs up to a quarter; a quarter if it has used one connection more all the time.
        return self._most - (self._most - self._quarter) * min(
            1.0, max(0.0, share.usual(now) - self._quarter)
        )

    def _share(self, holder: str) -> _Share:
        if (share := self._shares.get(holder)) is None:
            if len(self._shares) >= _KEPT:
                self._forget_faded()
            share = self._shares[holder] = self._new_share()
        return share

    def _new_share(self) -> _Share:
        return _Share(WaitQueue(self._seconds, _BUSY))

    def _forget_faded(self) -> None:
        now = self._clock()
        self._shares = {
            tenant: share
            for tenant, share in self._shares.items()
            if share.taken or share.usual(now) > _FADED
        }
