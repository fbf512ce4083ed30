"""The loop around the stages: looks for work, takes it, sends it, and sees that the outcome is written.

Everything in memory may be lost at any moment: a delivery that is not settled is free again once its worker is gone.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence

from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database
from steward.kit.runtime.heartbeat import Heartbeat
from steward.kit.runtime.log import log
from steward.webhook_delivery import queries
from steward.webhook_delivery.cancellation import cancel_waiting
from steward.webhook_delivery.capacity import AHEAD, Capacity
from steward.webhook_delivery.claim import Claimed, ClaimRequest, claim
from steward.webhook_delivery.claims import queries as claim_queries
from steward.webhook_delivery.dispatch import Dispatcher
from steward.webhook_delivery.fair_queue import FairQueue
from steward.webhook_delivery.metrics import DELIVERIES_IN_FLIGHT
from steward.webhook_delivery.model import (
    LANES,
    LEASE_MS,
    Claim,
    ClaimedDelivery,
    DeliveryConfig,
    Lane,
    Outcome,
    WebhookKey,
)
from steward.webhook_delivery.prepare import OpenSecrets
from steward.webhook_delivery.send import HttpSender
from steward.webhook_delivery.settle import Settler
from steward.webhook_delivery.shutdown import within

# Looking everywhere is the net below the hints. It costs little; where it doesn't, it is done less often.
_LOOK_SECONDS = 1.0
_LOOK_SHARE = 20
_MAX_WAIT_SECONDS = 0.25
# Claims of less than this are put off while more is under way: they cost as much as larger ones.
_WORTH_A_CLAIM = AHEAD // 3
_AGAIN_SECONDS = 0.02
_ELSEWHERE_SECONDS = 0.25
_PAUSE_SECONDS = 0.5
# For each of the last things to write. A database that doesn't answer must not keep us from ending.
_LAST_WORDS_SECONDS = 1.5


class Engine:
    """`heartbeat` is the worker's sign of life: what the engine claims is its own as long as that goes on."""

    def __init__(
        self,
        db: Database,
        sender: HttpSender,
        open_secrets: OpenSecrets,
        rules: DeliveryConfig,
        heartbeat: Heartbeat,
    ) -> None:
        self._db = db
        self._grace_seconds = rules.grace_seconds
        self._heartbeat = heartbeat
        heartbeat.lost, heartbeat.ended = self._on_lost, self._on_ended
        self._delay: dict[Lane, int] = {"pending": int(rules.schedule[0] * 1000), "retrying": 0}
        self._turns = {lane: FairQueue() for lane in LANES}
        self._places = Capacity()
        self._settler = Settler(db, heartbeat.now_ms, settled=self._on_settled, disabled=self._on_disabled)
        self._sending = Dispatcher(self._places, sender, open_secrets, rules, heartbeat, done=self._on_sent)
        self._wake = asyncio.Event()
        self._tenants: set[str] = set()
        self._next_look = 0.0
        self._last_lease = 0
        self._to_cancel: set[WebhookKey] = set()
        # Another worker's lease is over.
        self._someone_ended = False
        # Webhooks of which we may hold more than we know: the answer to a claim was lost.
        self._unsure: set[WebhookKey] = set()
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
        """Until `stop` is set; then what is under way is finished, or given back, whatever hangs."""
        work = asyncio.create_task(self._work())
        parts = [work, asyncio.create_task(self._settler.run()), asyncio.create_task(self._cancel_waiting())]
        stopped = asyncio.create_task(stop.wait())
        try:
            ended, _ = await asyncio.wait([stopped, *parts], return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
            await self._finish(work)
        finally:
            for task in (stopped, *parts):
                task.cancel()
            await asyncio.wait([stopped, *parts], timeout=1)

    async def _work(self) -> None:
        while not self._sending.stopping:
            try:
                await self._turn()
            except Exception as error:  # noqa: BLE001 (whatever it was, delivering must go on)
                FAULT_LOG.report("deliveries can't be claimed at the moment", error)
                self._next_look = 0.0
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _turn(self) -> None:
        self._wake.clear()
        self._sending.begin()
        taken = 0
        if self._heartbeat.holds():
            await self._free()
            await self._look()
            for lane in LANES:
                taken += await self._claim(lane)
        DELIVERIES_IN_FLIGHT.set(self._places.in_flight)
        if not taken and not self._sending.stopping:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._longest_rest())

    def _longest_rest(self) -> float:
        now = self._heartbeat.now_ms()
        if not self._heartbeat.holds() or any(turns.has_ready(now) for turns in self._turns.values()):
            return _MAX_WAIT_SECONDS  # until one that takes long leaves its place
        dues = [due for turns in self._turns.values() if (due := turns.next_due()) is not None]
        until_due = (min(dues) - now) / 1000 if dues else _LOOK_SECONDS
        return max(0.0, min(until_due, self._next_look - time.monotonic()))

    async def _free(self) -> None:
        """What nobody works on: of workers that are gone, of claims that we didn't hear of, and what we took in vain."""
        now, process = self._heartbeat.now_ms(), self._heartbeat.process
        if self._someone_ended:
            self._someone_ended = False
            ended, keys, count = await claim_queries.end_dead_workers(self._db, process, now)
            if ended:
                # One that was told to stop has given back what it held.
                tell = log.warning if count else log.info
                tell("workers are gone; what they held is free", workers=ended, deliveries=count)
            self._tenants |= {key[0] for key in keys}
        if self._unsure:
            known = (id for key in self._unsure for id in self._places.held(key))
            await claim_queries.free_unknown(self._db, process, list(self._unsure), known, now)
            self._unsure.clear()
        if surplus := self._places.take_surplus():
            await self._give_back(surplus)

    async def _give_back(self, deliveries: Sequence[ClaimedDelivery]) -> None:
        now = self._heartbeat.now_ms()
        await claim_queries.release(self._db, deliveries, now)
        for delivery in deliveries:
            lane: Lane = "retrying" if delivery.attempts else "pending"
            self._turns[lane].note(delivery.webhook.key, now, now)

    async def _look(self) -> None:
        began = time.monotonic()
        everywhere = began >= self._next_look
        if not everywhere and not self._tenants:
            return
        tenants, self._tenants = self._tenants, set()
        rows = await queries.look(self._db, None if everywhere else tenants, self._heartbeat.now_ms())
        now = self._heartbeat.now_ms()
        for tenant, webhook_id, status, *dues in rows:
            key = (tenant, webhook_id)
            if status != "active":
                self._to_cancel.add(key)
                if waiting := self._places.withdraw(key):
                    await claim_queries.release(self._db, waiting, now)
                continue
            for lane, due in zip(LANES, dues, strict=True):
                if due is not None:
                    self._turns[lane].note(key, due + self._delay[lane], now)
        if everywhere:
            took = time.monotonic() - began
            self._next_look = began + max(_LOOK_SECONDS, took * _LOOK_SHARE)

    async def _claim(self, lane: Lane) -> int:
        now = self._heartbeat.now_ms()
        places = self._places
        free = places.free(now) if lane == "pending" else places.free_for_late(now)
        if free < min(_WORTH_A_CLAIM, max(1, places.in_flight)):
            return 0
        chosen = self._turns[lane].take(now, free, places.room)
        if not chosen:
            return 0
        wanted = {key: ClaimRequest(most, len(places.held(key))) for key, most in chosen.items()}
        self._last_lease = max(self._last_lease + 1, now + LEASE_MS)
        own = Claim(self._heartbeat.process, self._last_lease)
        try:
            claimed = await claim(self._db, wanted, lane, own, now=now, delay=self._delay[lane])
        except BaseException:
            self._unsure |= wanted.keys()
            raise
        self._note(lane, claimed, now)
        if own.process != self._heartbeat.process:
            # We were taken for dead meanwhile, so that nobody would free these if we died now.
            await self._give_back(claimed.deliveries)
            return 0
        for delivery in claimed.deliveries:
            places.take(delivery)
        self._sending.begin()
        return len(claimed.deliveries)

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

    def _on_sent(self, outcome: Outcome) -> None:
        self._settler.add(outcome)
        now = self._heartbeat.now_ms()
        if self._places.free(now) >= _WORTH_A_CLAIM:
            self._wake_if_ready(now)

    def _on_settled(self, outcome: Outcome) -> None:
        key, now = outcome.delivery.webhook.key, self._heartbeat.now_ms()
        self._places.settled(outcome.delivery)
        if outcome.due is not None:
            self._turns["retrying"].note(key, outcome.due, now)
            self._wake.set()
        if self._places.room(key) > 0:
            for turns in self._turns.values():
                turns.came_free(key, now)
            self._wake_if_ready(now)
        self._sending.begin()

    def _wake_if_ready(self, now: int) -> None:
        """A turn in which nobody can be asked for anything would be in vain."""
        if any(turns.has_ready(now) for turns in self._turns.values()):
            self._wake.set()

    def _on_disabled(self, key: WebhookKey) -> None:
        self._to_cancel.add(key)

    def _on_lost(self) -> None:
        """Others were told that we are dead: what waits is theirs. What is under way ends, and counts if it arrives."""
        self._places.withdraw_all()
        self._unsure.clear()
        self._next_look = 0.0

    def _on_ended(self) -> None:
        self._someone_ended = True
        self._wake.set()

    async def _cancel_waiting(self) -> None:
        """Beside the turns: what waits for a webhook that takes nothing any more."""
        while True:
            await asyncio.sleep(_MAX_WAIT_SECONDS)
            while self._to_cancel:
                key = self._to_cancel.pop()
                try:
                    await cancel_waiting(self._db, key, self._heartbeat.now_ms())
                except Exception as error:  # noqa: BLE001 (it is found again with the next look)
                    FAULT_LOG.report("waiting deliveries can't be ended", error, webhook=key[1])

    async def _finish(self, work: "asyncio.Task[None]") -> None:
        ends = time.monotonic() + self._grace_seconds
        self._sending.stopping = True
        self._wake.set()
        # The turn that has begun may claim something yet, which is given back as well.
        await asyncio.wait([work], timeout=_LAST_WORDS_SECONDS)
        work.cancel()
        await self._release([*self._places.withdraw_all(), *self._places.take_surplus()])
        cut_off = await self._sending.finish(max(0.0, ends - time.monotonic()))
        await within(_LAST_WORDS_SECONDS, self._settler.finished())
        await self._release(cut_off)

    async def _release(self, deliveries: Sequence[ClaimedDelivery]) -> None:
        """As far as the database answers: otherwise they are free once our lease is over."""
        if not deliveries:
            return
        given_back = claim_queries.release(self._db, deliveries, self._heartbeat.now_ms())
        if await within(_LAST_WORDS_SECONDS, given_back):
            log.info("deliveries given back", count=len(deliveries))
