"""Callers that make, move, book and read, and remember what they were promised."""

import asyncio
import time
import uuid
from typing import Any

from soak.calls import Answer, Caller, Pace
from soak.ledger import Booking, Ledger, Order
from soak.setup import SoakSetup

_PATHS = (("start", "complete"), ("start", "hold", "resume", "complete"), ("start", "cancel"), ("cancel",))
_STATE_AFTER = {
    "start": "InProgress",
    "hold": "OnHold",
    "resume": "InProgress",
    "complete": "Completed",
    "cancel": "Cancelled",
}
_HALF_HOUR = 1800


class Writers:
    def __init__(self, setup: SoakSetup, caller: Caller, noisy: Caller, ledger: Ledger, pace: Pace) -> None:
        self._setup = setup
        self._caller = caller
        self._noisy = noisy
        self._ledger = ledger
        self._pace = pace
        self._chance = pace.chance
        self._movable: list[Order] = []
        self._cancelling: set[str] = set()

    async def run(self) -> None:
        await asyncio.gather(
            self._pace.repeat(self._make_plainly, 0.35),
            self._pace.repeat(self._make_once, 0.35),
            self._pace.repeat(self._move, 0.3),
            self._pace.repeat(self._move, 0.3),
            self._pace.repeat(self._book, 0.5),
            self._pace.repeat(self._book_twice, 1.5),
            self._pace.repeat(self._look, 1.0),
            self._pace.repeat(self._feed_bad_receivers, 2.0),
        )

    def _new_title(self, how: str) -> str:
        return f"{how} {uuid.UUID(int=self._chance.getrandbits(128))}"

    def _note_order(self, data: dict[str, Any]) -> None:
        order = Order(data["id"], data["number"], data["title"], time.monotonic(), ["Open"])
        known = self._ledger.orders.setdefault(order.title, order)
        if known.id != order.id:
            self._ledger.contradictions.append(f"{order.title} is {known.id} and {order.id}")
        elif known is order:
            self._movable.append(order)

    async def _make_plainly(self) -> None:
        """Sent once: without a key it can't be sent again."""
        title = self._new_title("plain")
        answer = await self._caller.call("POST", self._setup.at("work-orders"), {"title": title})
        if answer is None or answer.status >= 500:
            return
        if self._caller.is_expected("make a work order", answer, 201):
            self._note_order(answer.data)

    async def _make_once(self) -> None:
        """Sent until it is answered, and now and then once more."""
        title = self._new_title("once")
        path, body = self._setup.at("work-orders"), {"title": title}
        for _ in range(2 if self._chance.random() < 0.3 else 1):
            answer = await self._caller.insist("POST", path, body, key=title)
            if self._caller.is_expected("make a work order with a key", answer, 201):
                self._note_order(answer.data)

    async def _move(self) -> None:
        if not self._movable:
            return
        order = self._movable.pop(self._chance.randrange(len(self._movable)))
        for verb in self._chance.choice(_PATHS):
            body = {"reason": "Waiting for a part."} if verb in {"hold", "cancel"} else None
            path = self._setup.at("work-orders", order.id, verb)
            answer = await self._caller.insist("POST", path, body, key=f"{order.id} {len(order.states)}")
            if answer.status != 200:
                # Done by the first try, and its answer is not kept: a second try must not find that out.
                self._ledger.contradictions.append(f"{verb} of {order.title}: {answer.body}")
                return
            order.states.append(_STATE_AFTER[verb])
            if self._pace.over.is_set():
                return

    def _slot(self) -> dict[str, Any]:
        resource = self._chance.choice(self._setup.resources)
        start = self._setup.first_slot + _HALF_HOUR * self._chance.randrange(48 * 25)
        return {
            "resourceId": resource,
            "startTime": start,
            "endTime": start + _HALF_HOUR * self._chance.randint(1, 4),
        }

    async def _book(self) -> None:
        await self._book_slot(self._slot(), again=self._chance.random() < 0.5)
        if self._chance.random() < 0.2:
            await self._cancel()

    async def _book_twice(self) -> None:
        """Two callers want the same."""
        slot = self._slot()
        later = {**slot, "startTime": slot["startTime"] + 600, "endTime": slot["endTime"] + 600}
        await asyncio.gather(self._book_slot(slot, again=False), self._book_slot(later, again=False))

    async def _book_slot(self, slot: dict[str, Any], *, again: bool) -> None:
        path = self._setup.at("bookings")
        answer: Answer | None
        if again:
            answer = await self._caller.insist(
                "POST", path, slot, key=f"{slot['resourceId']} {slot['startTime']} {time.monotonic_ns()}"
            )
        else:
            answer = await self._caller.call("POST", path, slot)
        if answer is not None and answer.status == 201:
            made = Booking(answer.data["id"], slot["resourceId"], slot["startTime"], slot["endTime"])
            self._ledger.bookings[made.id] = made
        elif answer is not None and answer.status < 500 and answer.status != 409:
            self._caller.note_unexpected("book", answer)

    async def _cancel(self) -> None:
        free = [one for one in self._ledger.bookings.values() if one.id not in self._cancelling]
        if not free:
            return
        one = self._chance.choice(free)
        self._cancelling.add(one.id)
        answer = await self._caller.insist(
            "POST", self._setup.at("bookings", one.id, "cancel"), key=f"cancel {one.id}"
        )
        one.cancelled = self._caller.is_expected("cancel a booking", answer, 200)

    async def _look(self) -> None:
        for path in ("work-orders?limit=50", "bookings", f"assets/{self._setup.singles[0]}"):
            answer = await self._caller.call("GET", self._setup.at(path))
            if answer is not None and answer.status not in {200, 503}:
                self._caller.note_unexpected(f"GET {path.partition('?')[0]}", answer)

    async def _feed_bad_receivers(self) -> None:
        await self._noisy.call(
            "POST", f"{self._setup.noisy_path}/work-orders", {"title": "Told to bad receivers"}
        )
