"""The loop around the stages: looks for work, takes it, sends it, and sees that the outcome is written.

Everything in memory may be lost at any moment: a delivery that is not settled falls due again by itself.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence

import msgspec

from steward.delivery import queries
from steward.delivery.claim import Claimed, claim
from steward.delivery.ending import end_waiting
from steward.delivery.judge import judge, without_event
from steward.delivery.model import LANES, Answer, Delivery, ErrorClass, Lane, Outcome, WebhookKey
from steward.delivery.places import AHEAD, Places
from steward.delivery.prepare import OpenSecrets, prepare
from steward.delivery.send import Sender
from steward.delivery.settle import Settler
from steward.delivery.turns import Turns
from steward.kit import clock
from steward.kit.db import DATABASE_AWAY, Database
from steward.kit.faults import COMPLAINTS
from steward.kit.log import log
from steward.kit.metrics import DELIVERIES_IN_FLIGHT
from steward.kit.problems import Unavailable

# Looking everywhere is the net below the hints. It costs little; where it doesn't, it is done less often.
_LOOK_SECONDS = 1.0
_LOOK_SHARE = 20
_LONGEST_WAIT = 0.25
# Claims of less than this are put off while more is under way: they cost as much as larger ones.
_WORTH_A_CLAIM = AHEAD // 3
_AGAIN_SECONDS = 0.02
_ELSEWHERE_SECONDS = 0.25
_PAUSE_SECONDS = 0.5


class Rules(msgspec.Struct, frozen=True):
    """What a deployment may choose."""

    schedule: Sequence[float]
    allow_local: bool = False
    grace_seconds: float = 25.0


class Engine:
    def __init__(self, db: Database, sender: Sender, open_secrets: OpenSecrets, rules: Rules) -> None:
        self._db = db
        self._sender = sender
        self._open_secrets = open_secrets
        self._rules = rules
        self._delay: dict[Lane, int] = {"pending": int(rules.schedule[0] * 1000), "retrying": 0}
        self._turns = {lane: Turns() for lane in LANES}
        self._places = Places()
        self._settler = Settler(db, settled=self._on_settled, disabled=self._on_disabled)
        self._tasks: dict[asyncio.Task[None], Delivery] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._tenants: set[str] = set()
        self._next_look = 0.0
        self._to_end: set[WebhookKey] = set()
        # Whose deliveries the reconciler should look at soon.
        self._touched: set[str] = set()

    def heard(self, tenants: frozenset[str] | None) -> None:
        """There may be something to deliver: for these tenants, or for anybody."""
        if tenants is None:
            self._next_look = 0.0
        else:
            self._tenants |= tenants
            self._touched |= tenants
        self._wake.set()

    def take_touched(self) -> set[str]:
        """The tenants that were heard of since this was last asked."""
        touched, self._touched = self._touched, set()
        return touched

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set; then what is under way is finished, or given back."""
        beside = [asyncio.create_task(self._settler.run()), asyncio.create_task(self._end_waiting())]
        waker = asyncio.create_task(self._wake_at(stop))
        try:
            while not stop.is_set():
                try:
                    await self._turn()
                except Exception as error:  # noqa: BLE001 (whatever it was, delivering must go on)
                    COMPLAINTS.tell("deliveries can't be claimed at the moment", error)
                    self._next_look = 0.0
                    await asyncio.sleep(_PAUSE_SECONDS)
            await self._finish()
        finally:
            for task in (waker, *beside):
                task.cancel()
            await asyncio.gather(waker, *beside, return_exceptions=True)

    async def _wake_at(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _turn(self) -> None:
        self._wake.clear()
        self._begin()
        await self._look()
        taken = 0
        for lane in LANES:
            taken += await self._claim(lane)
        DELIVERIES_IN_FLIGHT.set(self._places.in_flight)
        if not taken:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._longest_rest())

    def _longest_rest(self) -> float:
        now = clock.now_ms()
        if any(turns.has_ready(now) for turns in self._turns.values()):
            return _LONGEST_WAIT  # until one that takes long leaves its place
        dues = [due for turns in self._turns.values() if (due := turns.next_due()) is not None]
        until_due = (min(dues) - now) / 1000 if dues else _LOOK_SECONDS
        return max(0.0, min(until_due, self._next_look - time.monotonic()))

    async def _look(self) -> None:
        began = time.monotonic()
        everywhere = began >= self._next_look
        if not everywhere and not self._tenants:
            return
        tenants, self._tenants = self._tenants, set()
        rows = await queries.look(self._db, None if everywhere else tenants)
        now = clock.now_ms()
        for tenant, webhook_id, status, *dues in rows:
            for lane, due in zip(LANES, dues, strict=True):
                if due is not None and status == "active":
                    self._turns[lane].note((tenant, webhook_id), due + self._delay[lane], now)
            if status != "active":
                self._to_end.add((tenant, webhook_id))
        if everywhere:
            took = time.monotonic() - began
            self._next_look = began + max(_LOOK_SECONDS, took * _LOOK_SHARE)

    async def _claim(self, lane: Lane) -> int:
        now = clock.now_ms()
        places = self._places
        free = places.free(now) if lane == "pending" else places.free_for_late(now)
        if free < min(_WORTH_A_CLAIM, max(1, places.in_flight)):
            return 0
        wanted = self._turns[lane].take(now, free, places.room)
        if not wanted:
            return 0
        claimed = await claim(self._db, wanted, lane, now=now, delay=self._delay[lane])
        self._note(lane, claimed, now)
        for delivery in claimed.deliveries:
            places.take(delivery)
        self._begin()
        return len(claimed.deliveries)

    def _begin(self) -> None:
        now = clock.now_ms()
        while delivery := self._places.begin(now):
            task = asyncio.create_task(self._deliver_one_after_another(delivery))
            self._tasks[task] = delivery
            task.add_done_callback(self._tasks.pop)

    def _note(self, lane: Lane, claimed: Claimed, now: int) -> None:
        for key in claimed.more:
            self._turns[lane].note(key, now, now)
        for key in claimed.full:
            if self._places.held(key):
                self._turns[lane].wait_for_place(key)
            else:
                self._again(key, _ELSEWHERE_SECONDS)
        for key in claimed.missed:
            self._again(key, _AGAIN_SECONDS)

    def _again(self, key: WebhookKey, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self.heard, frozenset({key[0]}))

    async def _deliver_one_after_another(self, first: Delivery) -> None:
        """Goes on with whatever is next: a task for each would cost more than the rest of its way."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (we are in it)
        delivery: Delivery | None = first
        while delivery is not None:
            self._tasks[task] = delivery
            try:
                outcome = await self._attempt(delivery)
            finally:
                self._places.sent(delivery)
            self._settler.add(outcome)
            now = clock.now_ms()
            delivery = None if self._stopping else self._places.begin(now)
            if self._places.free(now) >= _WORTH_A_CLAIM:
                self._wake.set()

    async def _attempt(self, delivery: Delivery) -> Outcome:
        now = clock.now_ms()
        if delivery.body is None:
            return without_event(delivery, now)
        request = prepare(
            delivery, delivery.body, self._open_secrets, now_ms=now, allow_local=self._rules.allow_local
        )
        if isinstance(request, ErrorClass):
            answer = Answer(now, 0, error=request)
        else:
            answer = await self._sender.send(request)
        return judge(
            delivery,
            answer,
            self._rules.schedule,
            now_ms=clock.now_ms(),
            luck=random.random(),  # noqa: S311 (spreads load, hides nothing)
        )

    def _on_settled(self, outcome: Outcome) -> None:
        key, now = outcome.delivery.webhook.key, clock.now_ms()
        self._places.settled(key)
        if outcome.due is not None:
            self._turns["retrying"].note(key, outcome.due, now)
        for turns in self._turns.values():
            turns.came_free(key, now)
        self._wake.set()

    def _on_disabled(self, key: WebhookKey) -> None:
        self._to_end.add(key)

    async def _end_waiting(self) -> None:
        """Beside the turns: what waits for a webhook that takes nothing any more."""
        while True:
            await asyncio.sleep(_LONGEST_WAIT)
            while self._to_end:
                key = self._to_end.pop()
                try:
                    await end_waiting(self._db, key)
                except Exception as error:  # noqa: BLE001 (it is found again with the next look)
                    COMPLAINTS.tell("waiting deliveries can't be ended", error, webhook=key[1])

    async def _finish(self) -> None:
        self._stopping = True
        unfinished = self._places.give_up_waiting()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=self._rules.grace_seconds)
        cut_off = dict(self._tasks)
        for task in cut_off:
            task.cancel()
        await asyncio.gather(*cut_off, return_exceptions=True)
        unfinished += cut_off.values()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settler.finished(), 3)
        if unfinished:
            with contextlib.suppress(*DATABASE_AWAY, Unavailable):  # their leases end, then
                await queries.release(self._db, unfinished, clock.now_ms())
                log.info("deliveries given back", count=len(unfinished))
