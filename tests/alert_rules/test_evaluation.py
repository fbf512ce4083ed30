"""All rules of one asset: status, alerts and the next timer."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.alert_rules.simulated_device import SimulatedDevice, rule

from steward.alert_rules.evaluation import Situation, evaluate, rule_states_of
from steward.alert_rules.rule_index import RuleIndex

WARM = rule(("T", "gt", 25))
HOT = rule(("T", "gt", 30), severity="Critical")
WET = rule(("H", "gt", 80))


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"T": 20}, "Normal"),
        ({"T": 26}, "Warning"),
        ({"T": 31}, "Critical"),
        ({"T": 31, "H": 81}, "Critical"),
        ({"H": 81}, "Warning"),
        ({"Other": 1}, "Normal"),
    ],
)
def test_the_worst_active_severity_is_the_status(values: dict[str, Any], status: str) -> None:
    for rules in ((WARM, HOT, WET), (WET, HOT, WARM)):
        device = SimulatedDevice(*rules)
        assert device.read(10, **values).status == status


def test_a_rule_that_is_pending_leaves_the_status_and_one_that_is_clearing_keeps_it() -> None:
    slow = rule(("T", "gt", 30), severity="Critical", for_seconds=20, clear_for_seconds=20)
    device = SimulatedDevice(slow)
    assert device.read(10, T=31).status == "Normal"
    assert device.look(30).status == "Critical"
    assert device.read(40, T=20).status == "Critical"
    assert device.look(60).status == "Normal"


def test_without_rules_the_status_stays() -> None:
    device = SimulatedDevice()
    assert device.read(10, T=50).status is None
    assert device.look(20).status is None
    assert device.rules_changed(30).status is None


def test_a_preview_without_matches_says_so() -> None:
    assert SimulatedDevice(HOT).rules_changed(10).status is None
    assert SimulatedDevice().rules_changed(10, HOT).status == "Normal"
    assert SimulatedDevice(HOT).read(10, T=20).status == "Normal"


def test_rules_of_an_asset_and_its_type_both_apply() -> None:
    own, foreign = rule(("T", "gt", 10), asset_id="asset"), rule(("T", "gt", 10), asset_id="another")
    off, elsewhere = replace(WARM, id="arl_off", enabled=False), replace(WARM, asset_type_id="other", id="x")
    book = RuleIndex([own, foreign, WARM, off, elsewhere])
    assert {each.id for each in book.for_asset("asset", "type")} == {own.id, WARM.id}
    assert {each.id for each in book.for_asset("third", "type")} == {WARM.id}
    assert {each.id for each in book.for_asset("another", "none")} == {foreign.id}
    assert list(book.for_asset("third", "none")) == []


@pytest.mark.parametrize("remaining", [[], [WET]])
def test_alerts_of_rules_that_no_longer_apply_are_cleared(remaining: list[Any]) -> None:
    device = SimulatedDevice(WARM, HOT, WET)
    device.read(10, T=31)
    verdict = device.rules_changed(50, *remaining)
    assert device.told(HOT) == [("raised", 10, 10), ("cleared", 50)]
    assert device.told(WARM) == [("raised", 10, 10), ("cleared", 50)]
    assert (verdict.status, device.rule_states) == ("Normal", {})


def test_readings_and_timers_also_clear_alerts_of_removed_rules() -> None:
    for found_by in (lambda d: d.read(50, T=31), lambda d: d.look(50)):
        device = SimulatedDevice(HOT, WET)
        device.read(10, T=31)
        device.rules = RuleIndex([WET])
        assert found_by(device).status == "Normal"
        assert device.told(HOT) == [("raised", 10, 10), ("cleared", 50)]


def test_removing_a_rule_without_an_alert_clears_nothing() -> None:
    slow = rule(("T", "gt", 30), for_seconds=20)
    device = SimulatedDevice(slow)
    device.read(10, T=31)
    verdict = device.rules_changed(15)
    assert (list(verdict.cleared), device.rule_states) == ([], {})


def test_a_changed_rule_evaluates_the_last_reading_without_counting_it() -> None:
    device = SimulatedDevice(rule(("T", "gt", 99)))
    device.read(10, T=31)
    verdict = device.rules_changed(50, HOT)
    assert [(each.first_seen, each.raised_at) for each in verdict.raised] == [(50, 50)]
    assert (verdict.status, list(verdict.seen)) == ("Critical", [])
    again = device.rules_changed(60, HOT)
    assert (list(again.raised), list(again.seen), again.status) == ([], [], "Critical")


def test_a_changed_threshold_clears_alerts_that_no_longer_match() -> None:
    device = SimulatedDevice(HOT)
    device.read(10, T=31)
    device.rules_changed(50, replace(HOT, conditions=WET.conditions, updated=50))
    assert device.told(HOT) == [("raised", 10, 10), ("cleared", 50)]
    assert device.status == "Normal"


def test_a_changed_severity_changes_the_status_and_no_alert() -> None:
    device = SimulatedDevice(HOT)
    device.read(10, T=31)
    device.rules_changed(50, replace(HOT, severity=WARM.severity, updated=50))
    assert (device.status, device.told(HOT)) == ("Warning", [("raised", 10, 10)])


def test_rules_ignore_old_readings_of_a_silent_asset() -> None:
    device = SimulatedDevice(keep_alive=100)
    device.read(10, T=31)
    assert device.rules_changed(110, HOT).status == "Normal"
    assert device.told(HOT) == []


def test_readings_that_show_an_alert_are_counted_from_the_second_on() -> None:
    lasting = rule(("T", "gt", 30), hysteresis=2, clear_for_seconds=100)
    device = SimulatedDevice(lasting)
    for at, value in ((10, 31), (20, 32), (30, 29), (40, 27), (50, 29)):
        device.read(at, T=value)
    assert device.seen(lasting) == [20, 30, 50]


def test_an_alert_that_comes_and_goes_between_two_reads_is_reported() -> None:
    silence = rule(no_data_seconds=60)
    device = SimulatedDevice(silence)
    device.read(10, T=20)
    verdict = device.read(500, T=20)
    (raised,), (cleared,) = verdict.raised, verdict.cleared
    assert (raised.first_seen, raised.raised_at, cleared.cleared_at) == (70, 70, 500)
    assert raised.alert_id == cleared.alert_id
    assert (verdict.status, dict(verdict.rule_states), list(verdict.seen)) == ("Normal", {}, [])


def test_a_timer_alert_is_raised_before_the_next_reading_counts() -> None:
    slow = rule(("T", "gt", 30), for_seconds=20)
    verdict = [
        SimulatedDevice.read(device, at, T=31) for device in [SimulatedDevice(slow)] for at in (10, 50)
    ][-1]
    assert [each.alert_id for each in verdict.raised] == [each.alert_id for each in verdict.seen]


def test_the_earliest_timer_is_the_one_that_is_due() -> None:
    silence, slow = rule(no_data_seconds=60), rule(("T", "gt", 30), for_seconds=20)
    device = SimulatedDevice(silence, slow, keep_alive=1000)
    assert device.read(10, T=20).due == 70
    assert device.read(20, T=31).due == 40
    assert device.look(40).due == 80
    assert device.look(80).due is None
    assert SimulatedDevice(WARM).read(10, T=20).due is None


def test_unchanged_records_keep_their_identity() -> None:
    """So that the caller sees at a glance that there is nothing to store."""
    rules = RuleIndex([HOT, WET]).for_asset("asset", "type")
    calm, hot = ({"T": value} for value in (20, 31))
    first = Situation(calm, 10, 0, 100)
    for values in (calm, hot):
        rule_states = evaluate(
            rules, {}, first, Situation(values, 20, 0, 100), 20, new_alert_id=lambda: "a"
        ).rule_states
        again = Situation(values, 30, 0, 100)
        found = evaluate(
            rules, rule_states, Situation(values, 20, 0, 100), again, 30, new_alert_id=lambda: "b"
        )
        assert found.rule_states is rule_states


def test_stored_rules_can_be_decoded() -> None:
    device = SimulatedDevice(HOT, rule(("T", "gt", 1), for_seconds=5))
    verdict = device.read(10, T=31)
    stored = msgspec.json.decode(msgspec.json.encode(verdict.rule_states))
    assert stored[HOT.id] == {"phase": "active", "since": 10, "alert": "alt_1"}
    assert rule_states_of(stored) == verdict.rule_states
    assert dict(rule_states_of(None)) == dict(rule_states_of({})) == {}
