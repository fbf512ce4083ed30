"""Whose turn it is, and how much one worker takes on; without any I/O."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from steward.webhook_delivery.capacity import (
    MAX_HELD,
    MAX_QUEUED,
    MAX_QUICK_IN_FLIGHT,
    MAX_RETRYING,
    SLOW_AFTER_MS,
    Capacity,
)
from steward.webhook_delivery.fair_queue import MAX_WEBHOOKS_PER_CLAIM, FairQueue
from steward.webhook_delivery.model import MAX_IN_FLIGHT, Claim, ClaimedDelivery, WebhookTarget


def eight(_key) -> int:
    return 8


def test_tenants_take_turns_however_many_webhooks_one_has() -> None:
    queue = FairQueue()
    for number in range(100):
        queue.schedule(("org_big", f"whk_{number}"), 0, 0)
    queue.schedule(("org_small", "whk_s"), 0, 0)
    assert ("org_small", "whk_s") in queue.take(0, 16, eight)


def test_a_tenants_webhooks_take_turns_too() -> None:
    queue = FairQueue()
    keys = [("org", f"whk_{n}") for n in range(3)]
    for key in keys:
        queue.schedule(key, 0, 0)
    seen = []
    for _ in range(3):
        [key] = queue.take(0, 1, eight)
        seen.append(key)
        queue.schedule(key, 0, 0)  # it has more
    assert sorted(seen) == keys


def test_no_more_is_asked_for_than_there_are_places() -> None:
    queue = FairQueue()
    for n in range(4):
        queue.schedule((f"org_{n}", "whk"), 0, 0)
    assert list(queue.take(0, 20, eight).values()) == [8, 8, 4]
    assert queue.take(0, 20, eight) == {("org_3", "whk"): 8}


def test_deliveries_wait_until_they_are_due() -> None:
    queue = FairQueue()
    queue.schedule(("org", "whk"), 100, 0)
    assert queue.next_due() == 100
    assert queue.take(99, 5, eight) == {}
    assert queue.take(100, 5, eight) == {("org", "whk"): 5}
    assert queue.next_due() is None


def test_a_webhook_without_room_waits_until_a_place_comes_free() -> None:
    queue = FairQueue()
    key = ("org", "whk")
    queue.schedule(key, 0, 0)
    assert queue.take(0, 5, lambda _key: 0) == {}
    assert queue.take(0, 5, eight) == {}
    queue.slot_freed(key, 0)
    assert queue.take(0, 5, eight) == {key: 5}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 5)), max_size=60),
    st.integers(1, 200),
)
def test_every_webhook_is_claimed_exactly_once(noted, capacity) -> None:
    queue = FairQueue()
    for tenant, webhook, due in noted:
        queue.schedule((f"org_{tenant}", f"whk_{webhook}"), due, 0)
    asked: Counter = Counter()
    while chosen := queue.take(5, capacity, eight):
        assert len(chosen) <= min(capacity, MAX_WEBHOOKS_PER_CLAIM)
        assert sum(chosen.values()) <= capacity
        asked.update(chosen.keys())
    assert set(asked) == {(f"org_{t}", f"whk_{w}") for t, w, _ in noted}


def _delivery(number: int, *, attempts: int = 0) -> ClaimedDelivery:
    webhook = WebhookTarget(("org", f"whk_{number // 8}"), "", b"", False)
    return ClaimedDelivery(webhook, f"dlv_{number}", "evt", attempts, Claim("prc", 2**50), b"", False)


def _begin(capacity: Capacity, count: int, now: int) -> int:
    """How many of the waiting could begin."""
    return sum(capacity.start_next(now) is not None for _ in range(count))


def test_slow_requests_free_their_place_for_others() -> None:
    capacity = Capacity()
    for number in range(2 * MAX_QUICK_IN_FLIGHT):
        capacity.add(_delivery(number))
    assert _begin(capacity, 2 * MAX_QUICK_IN_FLIGHT, 0) == MAX_QUICK_IN_FLIGHT
    assert _begin(capacity, MAX_QUICK_IN_FLIGHT, SLOW_AFTER_MS - 1) == 0
    assert _begin(capacity, MAX_QUICK_IN_FLIGHT, SLOW_AFTER_MS) == MAX_QUICK_IN_FLIGHT
    assert capacity.in_flight == 2 * MAX_QUICK_IN_FLIGHT


def test_a_finished_request_frees_its_place_at_once() -> None:
    capacity = Capacity()
    for number in range(MAX_QUICK_IN_FLIGHT + 1):
        capacity.add(_delivery(number))
    assert _begin(capacity, MAX_QUICK_IN_FLIGHT + 1, 0) == MAX_QUICK_IN_FLIGHT
    capacity.mark_sent(_delivery(0), succeeded=True, now=0)
    assert _begin(capacity, 1, 0) == 1


def test_no_more_is_taken_ahead_than_is_needed_to_stay_busy() -> None:
    capacity = Capacity()
    assert capacity.free_slots(0) == MAX_QUICK_IN_FLIGHT + MAX_QUEUED
    for number in range(MAX_QUICK_IN_FLIGHT + MAX_QUEUED):
        capacity.add(_delivery(number))
    assert capacity.free_slots(0) == 0
    assert len(capacity.withdraw_all()) == MAX_QUICK_IN_FLIGHT + MAX_QUEUED
    assert capacity.free_slots(0) == MAX_QUICK_IN_FLIGHT + MAX_QUEUED


def test_the_number_of_slow_requests_is_bounded() -> None:
    capacity = Capacity()
    for number in range(MAX_HELD):
        capacity.add(_delivery(number))
        capacity.start_next(number * SLOW_AFTER_MS)
    late = MAX_HELD * SLOW_AFTER_MS * 2
    assert capacity.free_slots(late) == 0
    capacity.mark_sent(_delivery(3), succeeded=True, now=late)
    assert capacity.free_slots(late) == 1


def test_retries_leave_capacity_for_first_attempts() -> None:
    capacity = Capacity()
    for number in range(MAX_RETRYING):
        capacity.add(_delivery(number, attempts=1))
        capacity.start_next(number * SLOW_AFTER_MS)
    late = MAX_HELD * SLOW_AFTER_MS * 2
    assert capacity.free_retry_slots(late) == 0
    assert capacity.free_slots(late) == min(MAX_QUICK_IN_FLIGHT + MAX_QUEUED, MAX_HELD - MAX_RETRYING)


def test_capacity_of_a_webhook_is_freed_when_outcomes_are_settled() -> None:
    capacity = Capacity()
    for number in range(8):
        capacity.add(_delivery(number))
        capacity.start_next(0)
    key = ("org", "whk_0")
    capacity.mark_sent(_delivery(0), succeeded=True, now=0)
    assert capacity.room(key) == 0
    capacity.mark_settled(_delivery(0))
    assert capacity.room(key) == 1
    assert capacity.room(("org", "whk_other")) == MAX_IN_FLIGHT
