"""How much of one webhook a worker takes ahead, and how much of it is under way; without any I/O."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from steward.webhook_delivery.capacity import SLOW_AFTER_MS, Capacity
from steward.webhook_delivery.model import (
    LEASE_MS,
    MAX_IN_FLIGHT,
    MAX_WHILE_FAILING,
    Claim,
    ClaimedDelivery,
    WebhookTarget,
)
from steward.webhook_delivery.webhook_queue import MAX_UNSETTLED, MAX_WINDOW

KEY = ("org", "whk")


def delivery(
    number: int, *, key=KEY, attempts: int = 0, taken: int = 0, failing: bool = False
) -> ClaimedDelivery:
    webhook = WebhookTarget(key, "", b"", failing)
    return ClaimedDelivery(
        webhook, f"dlv_{number:06}", "evt", attempts, Claim("prc", taken + LEASE_MS), b"", False
    )


def serve(capacity: Capacity, deliveries: list[ClaimedDelivery], now: int, *, succeeded: bool = True) -> None:
    """All the way, one after the other."""
    for one in deliveries:
        capacity.add(one)
        assert capacity.start_next(now) == one
        capacity.mark_sent(one, succeeded=succeeded, now=now)
        capacity.mark_settled(one)


def quick(capacity: Capacity, now: int = 0) -> None:
    for start in range(0, 2000, 8):
        serve(capacity, [delivery(number, taken=now) for number in range(start, start + 8)], now)


def test_faster_receivers_get_more_claims_ahead() -> None:
    capacity = Capacity()
    assert capacity.room(KEY) == MAX_IN_FLIGHT
    quick(capacity)
    assert capacity.room(KEY) == MAX_WINDOW


def test_a_slow_receiver_gets_no_claims_ahead() -> None:
    capacity = Capacity()
    for number in range(100):
        serve(capacity, [delivery(number, taken=number * 100)], number * 100)
    assert capacity.room(KEY) == MAX_IN_FLIGHT


def test_more_deliveries_are_claimed_in_large_batches_only() -> None:
    capacity = Capacity()
    quick(capacity)
    for number in range(MAX_WINDOW // 2 + 1):
        capacity.add(delivery(number))
    assert capacity.room(KEY) == 0
    assert capacity.start_next(0) == delivery(0)
    capacity.mark_sent(delivery(0), succeeded=True, now=0)
    capacity.mark_settled(delivery(0))
    assert capacity.room(KEY) == MAX_WINDOW // 2


def test_eight_requests_are_in_flight_and_eight_outcomes_may_be_queued() -> None:
    capacity = Capacity()
    quick(capacity)
    for number in range(100):
        capacity.add(delivery(number))
    begun = [capacity.start_next(0) for _ in range(MAX_IN_FLIGHT)]
    assert begun == [delivery(number) for number in range(MAX_IN_FLIGHT)]
    assert capacity.start_next(0) is None
    for number in range(MAX_UNSETTLED - MAX_IN_FLIGHT):
        capacity.mark_sent(delivery(number), succeeded=True, now=0)
        assert capacity.start_next(0) == delivery(MAX_IN_FLIGHT + number)
    capacity.mark_sent(delivery(MAX_IN_FLIGHT), succeeded=True, now=0)
    assert capacity.start_next(0) is None
    capacity.mark_settled(delivery(0))
    assert capacity.start_next(0) == delivery(MAX_UNSETTLED)


def test_claims_ahead_are_released_when_a_request_takes_long() -> None:
    capacity = Capacity()
    quick(capacity)
    for number in range(100):
        capacity.add(delivery(number))
        capacity.start_next(0)
    free_slots = capacity.free_slots(0)
    assert capacity.pop_surplus() == []
    assert capacity.free_slots(SLOW_AFTER_MS) == free_slots + 100
    assert {one.id for one in capacity.pop_surplus()} == {delivery(number).id for number in range(8, 100)}
    assert (len(capacity.held_ids(KEY)), capacity.room(KEY)) == (MAX_IN_FLIGHT, 0)


def test_deliveries_claimed_too_long_ago_are_released() -> None:
    capacity = Capacity()
    capacity.add(delivery(1))
    assert capacity.start_next(LEASE_MS - 1000) is None
    assert capacity.pop_surplus() == [delivery(1)]
    assert capacity.held_ids(KEY) == set()


def test_a_failing_receiver_gets_two_at_a_time_until_one_succeeds() -> None:
    capacity = Capacity()
    serve(capacity, [delivery(number) for number in range(MAX_IN_FLIGHT)], 0, succeeded=False)
    for number in range(MAX_IN_FLIGHT):
        capacity.add(delivery(number))
    assert [capacity.start_next(0) is not None for _ in range(3)] == [True] * MAX_WHILE_FAILING + [False]
    capacity.mark_sent(delivery(0), succeeded=True, now=0)
    assert capacity.start_next(0) is not None
    assert capacity.start_next(0) is not None


def test_first_attempts_begin_before_late_ones_and_webhooks_take_turns() -> None:
    capacity = Capacity()
    for number in range(4):
        capacity.add(delivery(number, key=("org", "whk_late"), attempts=1))
    for number in range(4, 8):
        capacity.add(delivery(number, key=("org_a", "whk_a")))
    for number in range(8, 10):
        capacity.add(delivery(number, key=("org_b", "whk_b")))
    order = [one.id for one in iter(lambda: capacity.start_next(0), None)]
    assert order == [f"dlv_{number:06}" for number in (4, 8, 5, 9, 6, 7, 0, 1, 2, 3)]


class AnyOrderOfThings(RuleBasedStateMachine):
    """Whatever happens: no more than eight under way, first attempts in order, nothing lost and nothing sent twice."""

    def __init__(self) -> None:
        super().__init__()
        self.capacity = Capacity()
        self.now = 0
        self.taken: list[ClaimedDelivery] = []
        self.under_way: list[ClaimedDelivery] = []
        self.unsettled: list[ClaimedDelivery] = []
        self.gone: set[str] = set()
        self.begun: list[str] = []

    @rule(count=st.integers(1, 40), key=st.sampled_from([KEY, ("org", "whk_2"), ("org_2", "whk")]))
    def take(self, count: int, key: tuple[str, str]) -> None:
        for _ in range(min(count, self.capacity.room(key))):
            self.taken.append(delivery(len(self.taken), key=key, taken=self.now))
            self.capacity.add(self.taken[-1])

    @rule()
    def begin(self) -> None:
        while one := self.capacity.start_next(self.now):
            self.under_way.append(one)
            self.begun.append(one.id)

    @precondition(lambda self: self.under_way)
    @rule(succeeded=st.sampled_from([True, True, True, False, None]), pick=st.randoms())
    def end(self, succeeded: bool | None, pick) -> None:
        one = self.under_way.pop(pick.randrange(len(self.under_way)))
        self.capacity.mark_sent(one, succeeded=succeeded, now=self.now)
        self.unsettled.append(one)

    @rule()
    def settle(self) -> None:
        for one in self.unsettled:
            self.capacity.mark_settled(one)
        self.gone |= {one.id for one in self.unsettled}
        self.unsettled.clear()

    @rule(ms=st.sampled_from([1, 5, 50, 400, 1500, 30_000]))
    def wait(self, ms: int) -> None:
        self.now += ms

    @rule()
    def give_back(self) -> None:
        self.gone |= {one.id for one in self.capacity.pop_surplus()}

    @invariant()
    def no_more_than_eight(self) -> None:
        for key in {one.webhook.key for one in self.under_way}:
            assert sum(one.webhook.key == key for one in self.under_way) <= MAX_IN_FLIGHT

    @invariant()
    def nothing_twice_and_in_order(self) -> None:
        assert len(set(self.begun)) == len(self.begun)
        keys = {one.id: one.webhook.key for one in self.taken}
        for key in set(keys.values()):
            own = [id for id in self.begun if keys[id] == key]
            assert own == sorted(own)

    @invariant()
    def nothing_lost(self) -> None:
        held_ids = set().union(*(self.capacity.held_ids(one.webhook.key) for one in self.taken))
        surplus = {one.id for one in self.capacity._surplus}
        assert held_ids | surplus | self.gone == {one.id for one in self.taken}
        assert not held_ids & self.gone


TestAnyOrderOfThings = AnyOrderOfThings.TestCase
TestAnyOrderOfThings.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
