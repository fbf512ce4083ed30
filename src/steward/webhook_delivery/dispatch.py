"""Sends what the places allow: attempts that are under way, and how they end."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.runtime import clock
from steward.webhook_delivery.capacity import Capacity
from steward.webhook_delivery.judge import event_expired, judge
from steward.webhook_delivery.model import AttemptResult, ClaimedDelivery, DeliveryConfig, ErrorClass, Outcome
from steward.webhook_delivery.prepare import OpenSecrets, SignedRequest, prepare

Send = Callable[[ClaimedDelivery, SignedRequest], Awaitable[AttemptResult]]


class Dispatcher:
    """`on_outcome` is called with each outcome before it is stored."""

    def __init__(
        self,
        capacity: Capacity,
        send: Send,
        open_secrets: OpenSecrets,
        config: DeliveryConfig,
        heartbeat: Heartbeat,
        *,
        on_outcome: Callable[[Outcome], None],
    ) -> None:
        self._capacity = capacity
        self._send = send
        self._open_secrets = open_secrets
        self._config = config
        self._heartbeat = heartbeat
        self._on_outcome = on_outcome
        self._tasks: dict[asyncio.Task[None], ClaimedDelivery] = {}
        # Whether anything may begin at all.
        self.stopping = False

    def start(self) -> None:
        """As many as there are places for."""
        while delivery := self._next_delivery():
            task = asyncio.create_task(self._run_attempts(delivery))
            self._tasks[task] = delivery
            task.add_done_callback(self._tasks.pop)

    async def drain(self, grace_seconds: float) -> list[ClaimedDelivery]:
        """Waits for what is under way; returns what did not end within the grace, and was cut off."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=grace_seconds)
        cut_off = dict(self._tasks)
        for task in cut_off:
            task.cancel()
        return list(cut_off.values())

    def _next_delivery(self) -> ClaimedDelivery | None:
        # What is not surely ours may be under way elsewhere: until the lease is renewed, nothing begins.
        if self.stopping or not self._heartbeat.holds_lease():
            return None
        return self._capacity.start_next(clock.now_ms())

    async def _run_attempts(self, first: ClaimedDelivery) -> None:
        """Goes on with whatever is next: a task for each would cost more than the rest of its way."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (we are in it)
        delivery: ClaimedDelivery | None = first
        while delivery is not None:
            self._tasks[task] = delivery
            succeeded: bool | None = None
            try:
                outcome = await self._attempt(delivery)
                if outcome.result is not None and not delivery.is_test:
                    succeeded = outcome.succeeded
            finally:
                self._capacity.mark_sent(delivery, succeeded=succeeded, now=clock.now_ms())
            self._on_outcome(outcome)
            delivery = self._next_delivery()

    async def _attempt(self, delivery: ClaimedDelivery) -> Outcome:
        if delivery.body is None:
            return event_expired(delivery, clock.now_ms())
        request = prepare(
            delivery,
            delivery.body,
            self._open_secrets,
            now_ms=clock.now_ms(),
            allow_local=self._config.allow_local,
        )
        if isinstance(request, ErrorClass):
            result = AttemptResult(clock.now_ms(), 0, error=request)
        else:
            result = await self._send(delivery, request)
        return judge(
            delivery,
            result,
            self._config.retry_schedule,
            now_ms=clock.now_ms(),
            jitter=random.random(),  # noqa: S311 (spreads load, hides nothing)
        )
