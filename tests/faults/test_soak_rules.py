"""The soak's own rules: what they call lost, twice and silent."""

import random
from collections import Counter

from soak import invariants
from soak.ledger import Ledger, Order
from soak.plan import long_plan
from soak.spans import Span, cut, longest, merged, without
from soak.stored import Stored, StoredOrder


def ledger() -> Ledger:
    made = Ledger()
    made.orders["plain 1"] = Order("wo_1", 1, "plain 1", 0.0, ["Open", "InProgress"])
    return made


def stored(**orders: list[StoredOrder]) -> Stored:
    by_title = {title.replace("_", " "): found for title, found in orders.items()}
    told = {
        one.id: Counter({"workorder.created": 1, "workorder.status.changed": int(one.status != "Open")})
        for found in by_title.values()
        for one in found
    }
    return Stored(by_title, {}, {}, {}, told)


def broken(checks: list[invariants.Check]) -> set[str]:
    return {check.name for check in checks if not check.holds}


def test_walks_lose_and_repeat_no_record() -> None:
    there = stored(plain_1=[StoredOrder("wo_1", 1, "InProgress")])
    assert broken(invariants.lost(ledger(), there, {})) == set()
    assert broken(invariants.twice(ledger(), there, {})) == set()


def test_an_acknowledged_order_that_is_missing_counts_as_lost() -> None:
    assert broken(invariants.lost(ledger(), stored(), {})) == {"work orders lost", "moves lost"}


def test_an_acknowledged_move_that_is_missing_counts_as_lost() -> None:
    there = stored(plain_1=[StoredOrder("wo_1", 1, "Open")])
    assert broken(invariants.lost(ledger(), there, {})) == {"moves lost"}


def test_one_title_with_two_numbers_counts_as_a_duplicate() -> None:
    there = stored(plain_1=[StoredOrder("wo_1", 1, "InProgress"), StoredOrder("wo_2", 3, "Open")])
    assert broken(invariants.twice(ledger(), there, {})) == {
        "work orders made twice",
        "gaps and doubles in numbers",
    }


def test_readings_are_compared_with_those_sent() -> None:
    kept = Ledger()
    kept.readings["HTTP"].sent = {("ast_1", 10): 0.5, ("ast_1", 11): 0.75}
    kept.readings["HTTP"].acknowledged = {("ast_1", 10), ("ast_1", 11)}
    found = {("ast_1", 10): (0.5, 1), ("ast_1", 11): (0.5, 1)}
    assert broken(invariants.lost(kept, stored(), found)) == {"readings by HTTP lost"}
    assert not invariants.hidden(kept, found, {}).holds
    assert invariants.hidden(kept, found, found).holds


def test_bookings_overlap_within_the_buffer_of_their_resource() -> None:
    there = stored()
    there.bookings = {
        "a": ("r", 0, 100, "Confirmed"),
        "b": ("r", 150, 200, "Confirmed"),
        "c": ("r", 0, 9, "Cancelled"),
    }
    there.buffers = {"r": 50}
    assert broken(invariants.twice(Ledger(), there, {})) == set()
    there.buffers = {"r": 51}
    assert broken(invariants.twice(Ledger(), there, {})) == {"bookings that overlap"}


def test_spans() -> None:
    spans = merged([Span(0, 10), Span(5, 20), Span(30, 40)])
    assert spans == [Span(0, 20), Span(30, 40)]
    assert without(spans, [Span(5, 6), Span(15, 35)]) == [Span(0, 5), Span(6, 15), Span(35, 40)]
    assert longest(cut(spans, [4.0, 18.0])) == Span(4, 18)


def test_a_seed_gives_the_same_plan_with_every_kind_in_it() -> None:
    kinds = ["kill api", "kill worker", "slow clients"]
    first, again = (long_plan(kinds, 5, random.Random("7")) for _ in range(2))
    assert first == again
    assert {fault.kind for fault in first} == set(kinds)
    assert all(1 <= fault.seconds <= 15 for fault in first)


def test_the_feed_returns_every_event_once_and_in_order() -> None:
    before, after = ["a", "b", "c"], ["a", "b", "c", "d"]
    left_out, twice, order = (
        f"events that the feed {what}" for what in ("left out", "told twice", "told in another order")
    )

    def found(*readers: list[str]) -> set[str]:
        return broken(invariants.feed(before, after, readers))

    assert found(["a", "b", "c"], ["a", "b", "c", "d"]) == set()
    assert found(["a", "b"], ["a", "b", "c"]) == {left_out}
    assert found(["a", "b", "c", "c"]) == {twice, order}
    assert found(["a", "c", "b"]) == {order}
