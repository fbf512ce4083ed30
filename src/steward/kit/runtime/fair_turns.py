"""Fair turns on the event loop: a tenant that has used much of it lately waits while others want it.

The loop runs ready tasks in the order in which they became ready. A tenant with fifty requests of 10 ms each would thus make all
others wait for half a second. So the work of a request runs step by step, from one `await` to the next: each step is charged to
the tenant, and the charge fades away within seconds. Tenants that have used little continue at once. For the others:

* in one round of the loop they get no more than a few milliseconds together, so that the loop looks for new requests in between;
* while requests of light tenants are under way, they wait until those are answered, but not for longer than a few times what
  their own steps take, and as long again after each step: short steps hardly wait, long ones do, and all make progress;
* after a step that was long, which nothing can interrupt, they leave the loop alone for twice as long;
* of those that wait, the tenant that has used least comes first.

A tenant that is alone pays only for the first of these: a look for new requests now and then.

Work before the tenant is known counts as that of strangers, who are one tenant together.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar
from time import perf_counter, thread_time
from typing import Any, Generic, TypeVar

from steward.kit.runtime.loop_use import LoopUse

# How much a light tenant has used at most.
_LIGHT_SECONDS = 0.1
# What heavy tenants get together in one round of the loop.
_ROUND_SECONDS = 0.0005
# How long after its last step an unanswered light request counts as under way: requests that wait for events don't.
_FRESH_SECONDS = 0.01
# How long a heavy tenant waits for light requests, as a multiple of its own steps.
_PATIENCE = 4
_LOOK_AGAIN_SECONDS = 0.001
# For how long after their last step other tenants count as present.
_PRESENT_SECONDS = 1.0
# Faded accounts are dropped beyond this number.
_KEPT_ACCOUNTS = 1024
_FADED_SECONDS = 0.001
_STRANGERS = ""

T = TypeVar("T")


class FairTurns:
    """The turns of one process.

    Steps are measured in CPU time: on a busy machine a short one may take long by the clock.
    """

    def __init__(
        self, clock: Callable[[], float] = perf_counter, cpu: Callable[[], float] = thread_time
    ) -> None:
        self.clock = clock
        self.cpu = cpu
        self._uses: dict[str, LoopUse] = {}
        # Accounts that have steps waiting.
        self._waiting: dict[LoopUse, None] = {}
        # Unanswered requests of light tenants with the time of their last step, the newest last.
        self._light: dict[_Turns[Any], float] = {}
        # When the first request under way began, or the last heavy step was resumed, whichever was later.
        self._waits_since = 0.0
        # The tenant of the last step, and when another one had its last.
        self._last = LoopUse(_STRANGERS)
        self._other_seen = 0.0
        self._spent = 0.0
        self._round_marked = False
        self._dispatching: asyncio.Handle | None = None

    def of(self, work: Awaitable[T]) -> Awaitable[T]:
        """The same work, step by step in turn with that of others; `take_turn` names its tenant."""
        return _Turns(work, self)

    def use(self, organization: str) -> LoopUse:
        use = self._uses.get(organization)
        if use is None:
            if len(self._uses) >= _KEPT_ACCOUNTS:
                self._forget_faded()
            use = self._uses[organization] = LoopUse(organization)
        return use

    def may_go_on(self, use: LoopUse) -> bool:
        now = self.clock()
        if use.used(now) <= _LIGHT_SECONDS:
            return True
        if self._waiting or self._spent >= _ROUND_SECONDS:
            return False
        return not self._light_under_way(now) and not self._rests(use, now)

    def queue(self, use: LoopUse) -> "asyncio.Future[None]":
        turn = asyncio.get_running_loop().create_future()
        use.waiting.append(turn)
        self._waiting[use] = None
        if self._dispatching is None:
            self._dispatch_soon()
        return turn

    def charge(self, turns: "_Turns[Any]", seconds: float, now: float) -> None:
        use = turns.use
        use.charge(seconds, now)
        if use is not self._last and use.tenant != _STRANGERS:
            self._other_seen, self._last = self._last.as_of, use
        if use.used(now) <= _LIGHT_SECONDS:
            if not self._light_under_way(now):
                self._waits_since = now
            self._light.pop(turns, None)
            self._light[turns] = now
        else:
            self._light.pop(turns, None)
            self._spent += seconds
            self._mark_round()

    def leave(self, turns: "_Turns[Any]") -> None:
        if self._light.pop(turns, None) is not None and self._waiting:
            self._dispatch_soon()

    def _light_under_way(self, now: float) -> bool:
        newest = next(reversed(self._light.values()), None)
        return newest is not None and now - newest < _FRESH_SECONDS

    def _rests(self, use: LoopUse, now: float) -> bool:
        other_seen = self._other_seen if use is self._last else self._last.as_of
        return now < use.rests_until and now - other_seen < _PRESENT_SECONDS

    def _mark_round(self) -> None:
        """`call_soon` runs in the next round, after the loop has polled for new requests."""
        if not self._round_marked:
            self._round_marked = True
            asyncio.get_running_loop().call_soon(self._begin_round)

    def _begin_round(self) -> None:
        self._spent, self._round_marked = 0.0, False

    def _dispatch_soon(self) -> None:
        if self._dispatching is not None:
            self._dispatching.cancel()
        self._dispatching = asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
        """Resumes the steps whose turn it is."""
        self._dispatching = None
        now, room = self.clock(), _ROUND_SECONDS
        light = self._light_under_way(now)
        for use in sorted(self._waiting, key=lambda each: each.used(now)):
            while use.waiting and room > 0 and not self._has_to_wait(use, now, light=light):
                turn = use.waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    room -= use.longest
            if not use.waiting:
                del self._waiting[use]
        if room < _ROUND_SECONDS:
            self._waits_since = now
        if self._waiting and room > 0:
            loop = asyncio.get_running_loop()
            self._dispatching = loop.call_later(_LOOK_AGAIN_SECONDS, self._dispatch)
        elif self._waiting:
            self._dispatch_soon()

    def _has_to_wait(self, use: LoopUse, now: float, *, light: bool) -> bool:
        if use.waiting[0].done():
            return False
        return (light and now - self._waits_since < _PATIENCE * use.longest) or self._rests(use, now)

    def _forget_faded(self) -> None:
        now = self.clock()
        self._uses = {
            tenant: use
            for tenant, use in self._uses.items()
            if use.requests or use.used(now) > _FADED_SECONDS
        }


class _Turns(Generic[T]):
    """The turns of one request."""

    __slots__ = ("_fair", "_next", "_steps", "_waits", "use")

    def __init__(self, work: Awaitable[T], fair: FairTurns) -> None:
        self._steps: Any = work.__await__()
        self._next = self._steps.__next__
        self._fair = fair
        self._waits = False
        self.use = fair.use(_STRANGERS)
        self.use.requests += 1

    def move_to(self, organization: str) -> bool:
        """Returns whether it may continue at once for that organization."""
        self.use.requests -= 1
        self.use = self._fair.use(organization)
        self.use.requests += 1
        return self._fair.may_go_on(self.use)

    def __await__(self) -> Generator[Any, Any, T]:
        _current.set(self)
        return self

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self._waits:
            self._waits = False
        elif not self._fair.may_go_on(self.use):
            self._waits = True
            return next(self._fair.queue(self.use).__await__())
        return self._step(self._next)

    def send(self, value: Any) -> Any:
        return self.__next__() if value is None else self._step(self._steps.send, value)

    def throw(self, *error: Any) -> Any:
        self._waits = False
        return self._step(self._steps.throw, *error)

    def close(self) -> None:
        self._steps.close()
        self._end()

    def _step(self, step: Callable[..., Any], *values: Any) -> Any:
        began = self._fair.cpu()
        try:
            yielded = step(*values)
        except BaseException:
            self._charge(began)
            self._end()
            raise
        self._charge(began)
        return yielded

    def _charge(self, began: float) -> None:
        self._fair.charge(self, self._fair.cpu() - began, self._fair.clock())

    def _end(self) -> None:
        self.use.requests -= 1
        self._fair.leave(self)


_current: ContextVar[_Turns[Any] | None] = ContextVar("the turns of the request that runs", default=None)


async def take_turn(organization: str) -> None:
    """Charges the running request to that organization from here on; continues when it is its turn."""
    turns = _current.get()
    if turns is not None and not turns.move_to(organization):
        await asyncio.sleep(0)


def current_tenant() -> str | None:
    """The tenant whose work runs; "" for strangers, None for the service's own."""
    turns = _current.get()
    return None if turns is None else turns.use.tenant
