"""Sends what the places allow: attempts that are under way, and how they end."""

import asyncio
import random
from collections.abc import Callable

from steward.kit.runtime import clock
from steward.kit.runtime.heartbeat import Heartbeat
from steward.webhook_delivery.capacity import Capacity
from steward.webhook_delivery.judge import judge, without_event
from steward.webhook_delivery.model import AttemptResult, ClaimedDelivery, DeliveryConfig, ErrorClass, Outcome
from steward.webhook_delivery.prepare import OpenSecrets, prepare
from steward.webhook_delivery.send import HttpSender


class Dispatcher:
    """`done` hears of each outcome, which is yet to be written."""

    def __init__(
        self,
        places: Capacity,
        sender: HttpSender,
        open_secrets: OpenSecrets,
        rules: DeliveryConfig,
        heartbeat: Heartbeat,
        *,
        done: Callable[[Outcome], None],
    ) -> None:
        self._places = places
        self._sender = sender
        self._open_secrets = open_secrets
        self._rules = rules
        self._heartbeat = heartbeat
        self._done = done
        self._tasks: dict[asyncio.Task[None], ClaimedDelivery] = {}
        # Whether anything may begin at all.
        self.stopping = False

    def begin(self) -> None:
        """As many as there are places for."""
        while delivery := self._next():
            task = asyncio.create_task(self._one_after_another(delivery))
            self._tasks[task] = delivery
            task.add_done_callback(self._tasks.pop)

    async def finish(self, grace_seconds: float) -> list[ClaimedDelivery]:
        """Waits for what is under way; returns what did not end within the grace, and was cut off."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=grace_seconds)
        cut_off = dict(self._tasks)
        for task in cut_off:
            task.cancel()
        return list(cut_off.values())

    def _next(self) -> ClaimedDelivery | None:
        # What is not surely ours may be under way elsewhere: until the lease is renewed, nothing begins.
        if self.stopping or not self._heartbeat.holds():
            return None
        return self._places.begin(self._heartbeat.now_ms())

    async def _one_after_another(self, first: ClaimedDelivery) -> None:
        """Goes on with whatever is next: a task for each would cost more than the rest of its way."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (we are in it)
        delivery: ClaimedDelivery | None = first
        while delivery is not None:
            self._tasks[task] = delivery
            says: bool | None = None
            try:
                outcome = await self._attempt(delivery)
                if outcome.answer is not None and not delivery.is_test:
                    says = outcome.succeeded
            finally:
                self._places.sent(delivery, succeeded=says, now=self._heartbeat.now_ms())
            self._done(outcome)
            delivery = self._next()

    async def _attempt(self, delivery: ClaimedDelivery) -> Outcome:
        if delivery.body is None:
            return without_event(delivery, self._heartbeat.now_ms())
        request = prepare(
            delivery,
            delivery.body,
            self._open_secrets,
            now_ms=clock.now_ms(),
            allow_local=self._rules.allow_local,
        )
        if isinstance(request, ErrorClass):
            answer = AttemptResult(clock.now_ms(), 0, error=request)
        else:
            answer = await self._sender.send(request)
        return judge(
            delivery,
            answer,
            self._rules.schedule,
            now_ms=self._heartbeat.now_ms(),
            luck=random.random(),  # noqa: S311 (spreads load, hides nothing)
        )
