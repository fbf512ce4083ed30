"""Whose turn it is, and how much one worker takes on; without any I/O."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from steward.webhook_delivery.capacity import AHEAD, MAX_LATE, QUICK, SLOW_AFTER_MS, TOTAL, Capacity
from steward.webhook_delivery.fair_queue import MAX_AT_ONCE, FairQueue
from steward.webhook_delivery.model import MAX_IN_FLIGHT, Claim, ClaimedDelivery, WebhookTarget


def eight(_key) -> int:
    return 8


def test_tenants_take_turns_however_many_webhooks_one_has() -> None:
    turns = FairQueue()
    for number in range(100):
        turns.note(("org_big", f"whk_{number}"), 0, 0)
    turns.note(("org_small", "whk_s"), 0, 0)
    assert ("org_small", "whk_s") in turns.take(0, 16, eight)


def test_a_tenants_webhooks_take_turns_too() -> None:
    turns = FairQueue()
    keys = [("org", f"whk_{n}") for n in range(3)]
    for key in keys:
        turns.note(key, 0, 0)
    seen = []
    for _ in range(3):
        [key] = turns.take(0, 1, eight)
        seen.append(key)
        turns.note(key, 0, 0)  # it has more
    assert sorted(seen) == keys


def test_no_more_is_asked_for_than_there_are_places() -> None:
    turns = FairQueue()
    for n in range(4):
        turns.note((f"org_{n}", "whk"), 0, 0)
    assert list(turns.take(0, 20, eight).values()) == [8, 8, 4]
    assert turns.take(0, 20, eight) == {("org_3", "whk"): 8}


def test_what_is_not_due_yet_waits_for_its_time() -> None:
    turns = FairQueue()
    turns.note(("org", "whk"), 100, 0)
    assert turns.next_due() == 100
    assert turns.take(99, 5, eight) == {}
    assert turns.take(100, 5, eight) == {("org", "whk"): 5}
    assert turns.next_due() is None


def test_a_webhook_without_room_waits_until_a_place_comes_free() -> None:
    turns = FairQueue()
    key = ("org", "whk")
    turns.note(key, 0, 0)
    assert turns.take(0, 5, lambda _key: 0) == {}
    assert turns.take(0, 5, eight) == {}
    turns.came_free(key, 0)
    assert turns.take(0, 5, eight) == {key: 5}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 5)), max_size=60),
    st.integers(1, 200),
)
def test_nobody_is_forgotten_and_nobody_is_asked_twice(noted, places) -> None:
    turns = FairQueue()
    for tenant, webhook, due in noted:
        turns.note((f"org_{tenant}", f"whk_{webhook}"), due, 0)
    asked: Counter = Counter()
    while chosen := turns.take(5, places, eight):
        assert len(chosen) <= min(places, MAX_AT_ONCE)
        assert sum(chosen.values()) <= places
        asked.update(chosen.keys())
    assert set(asked) == {(f"org_{t}", f"whk_{w}") for t, w, _ in noted}


def _delivery(number: int, *, attempts: int = 0) -> ClaimedDelivery:
    webhook = WebhookTarget(("org", f"whk_{number // 8}"), "", b"", False)
    return ClaimedDelivery(webhook, f"dlv_{number}", "evt", attempts, Claim("prc", 2**50), b"", False)


def _begin(places: Capacity, count: int, now: int) -> int:
    """How many of the waiting could begin."""
    return sum(places.begin(now) is not None for _ in range(count))


def test_what_takes_long_leaves_its_place_to_others() -> None:
    places = Capacity()
    for number in range(2 * QUICK):
        places.take(_delivery(number))
    assert _begin(places, 2 * QUICK, 0) == QUICK
    assert _begin(places, QUICK, SLOW_AFTER_MS - 1) == 0
    assert _begin(places, QUICK, SLOW_AFTER_MS) == QUICK
    assert places.in_flight == 2 * QUICK


def test_a_finished_one_leaves_its_place_at_once() -> None:
    places = Capacity()
    for number in range(QUICK + 1):
        places.take(_delivery(number))
    assert _begin(places, QUICK + 1, 0) == QUICK
    places.sent(_delivery(0), succeeded=True, now=0)
    assert _begin(places, 1, 0) == 1


def test_no_more_is_taken_ahead_than_is_needed_to_stay_busy() -> None:
    places = Capacity()
    assert places.free(0) == QUICK + AHEAD
    for number in range(QUICK + AHEAD):
        places.take(_delivery(number))
    assert places.free(0) == 0
    assert len(places.withdraw_all()) == QUICK + AHEAD
    assert places.free(0) == QUICK + AHEAD


def test_there_is_an_end_to_it() -> None:
    places = Capacity()
    for number in range(TOTAL):
        places.take(_delivery(number))
        places.begin(number * SLOW_AFTER_MS)
    late = TOTAL * SLOW_AFTER_MS * 2
    assert places.free(late) == 0
    places.sent(_delivery(3), succeeded=True, now=late)
    assert places.free(late) == 1


def test_late_attempts_leave_room_for_first_ones() -> None:
    places = Capacity()
    for number in range(MAX_LATE):
        places.take(_delivery(number, attempts=1))
        places.begin(number * SLOW_AFTER_MS)
    late = TOTAL * SLOW_AFTER_MS * 2
    assert places.free_for_late(late) == 0
    assert places.free(late) == min(QUICK + AHEAD, TOTAL - MAX_LATE)


def test_a_webhook_has_room_again_when_outcomes_are_settled_not_when_they_are_sent() -> None:
    places = Capacity()
    for number in range(8):
        places.take(_delivery(number))
        places.begin(0)
    key = ("org", "whk_0")
    places.sent(_delivery(0), succeeded=True, now=0)
    assert places.room(key) == 0
    places.settled(_delivery(0))
    assert places.room(key) == 1
    assert places.room(("org", "whk_other")) == MAX_IN_FLIGHT
