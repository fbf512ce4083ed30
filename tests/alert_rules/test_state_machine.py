"""One rule over one asset, case by case."""

from typing import Any

import pytest
from tests.alert_rules.simulated_device import SimulatedDevice, condition, rule

from steward.alert_rules.conditions import met_by
from steward.alert_rules.model import ConditionMatch

HOT = ("T", "gt", 30)


@pytest.mark.parametrize(
    ("compared", "meeting", "missing"),
    [
        ("gt", [5.1, 6], [5, 4.9, -6]),
        ("gte", [5, 5.0, 6], [4.999]),
        ("lt", [4.999, -6], [5, 5.0, 6]),
        ("lte", [5, -6], [5.001]),
        ("eq", [5, 5.0], [5.001, 4, -5]),
        ("ne", [5.001, 4, -5], [5, 5.0]),
    ],
)
def test_a_value_meets_a_condition_or_not(compared: str, meeting: list[Any], missing: list[Any]) -> None:
    test = met_by([condition("T", compared, 5)], ConditionMatch.ALL)
    assert [test({"T": value}) for value in meeting] == [True] * len(meeting)
    assert [test({"T": value}) for value in missing] == [False] * len(missing)
    assert not test({}), "an absent value meets nothing"
    assert not test({"t": 5, "H": 6})


@pytest.mark.parametrize(
    ("compared", "keeping", "leaving"),
    [
        ("gt", [5, 4.6, 3.1], [3, 2]),
        ("gte", [5, 3], [2.9]),
        ("lt", [5, 6.9], [7, 8]),
        ("lte", [5, 7], [7.1]),
        ("eq", [3, 5, 7], [2.9, 7.1]),
        ("ne", [4.9, 5.1], [5]),
    ],
)
def test_hysteresis_widens_the_range_that_keeps_an_alert(
    compared: str, keeping: list[Any], leaving: list[Any]
) -> None:
    test = met_by([condition("T", compared, 5)], ConditionMatch.ALL, hysteresis=2)
    assert [test({"T": value}) for value in keeping] == [True] * len(keeping)
    assert [test({"T": value}) for value in leaving] == [False] * len(leaving)
    assert not test({})


@pytest.mark.parametrize(
    ("compared", "value", "meeting"),
    [("eq", True, [True, 1]), ("eq", False, [False, 0]), ("gt", 0.5, [True, 1])],
)
def test_true_and_false_count_as_one_and_zero(compared: str, value: Any, meeting: list[Any]) -> None:
    test = met_by([condition("Open", compared, value)], ConditionMatch.ALL)
    assert all(test({"Open": each}) for each in meeting)
    assert not any(test({"Open": not each}) for each in meeting)


@pytest.mark.parametrize(
    ("values", "all_met", "any_met"),
    [
        ({"T": 31, "H": 81}, True, True),
        ({"T": 31, "H": 80}, False, True),
        ({"T": 30, "H": 81}, False, True),
        ({"T": 31}, False, True),
        ({"T": 30, "H": 80}, False, False),
        ({}, False, False),
    ],
)
def test_conditions_are_met_together_or_one_by_one(values: Any, all_met: bool, any_met: bool) -> None:
    asked = [condition("T", "gt", 30), condition("H", "gt", 80)]
    assert met_by(asked, ConditionMatch.ALL)(values) is all_met
    assert met_by(asked, ConditionMatch.ANY)(values) is any_met
    assert met_by([], ConditionMatch.ALL)(values) is met_by([], ConditionMatch.ANY)(values) is False


# What the rule asks for; readings (second, value) and looks (second, None), in order; then what becomes of its alerts. The
# asset's keepAlive is 100.
CASES: dict[str, tuple[dict[str, Any], list[tuple[int, float | None]], list[tuple[Any, ...]]]] = {
    "a reading beyond the threshold raises at once": ({}, [(10, 31)], [("raised", 10, 10)]),
    "one at the threshold doesn't": ({}, [(10, 30)], []),
    "the next one clears at once": ({}, [(10, 31), (20, 30)], [("raised", 10, 10), ("cleared", 20)]),
    "the timer runs out without a message, at its own second": (
        {"for_seconds": 50},
        [(10, 31), (95, None)],
        [("raised", 60, 10)],
    ),
    "it has not run out a second before": ({"for_seconds": 50}, [(10, 31), (59, None)], []),
    "a reading below in the second in which it runs out comes first": (
        {"for_seconds": 50},
        [(10, 31), (60, 29)],
        [],
    ),
    "readings that go on being too high don't start it over": (
        {"for_seconds": 50},
        [(10, 31), (40, 35), (70, 40)],
        [("raised", 60, 10)],
    ),
    "one that is fine does": (
        {"for_seconds": 50},
        [(10, 31), (40, 29), (50, 31), (99, None)],
        [],
    ),
    "a data gap starts it over": (
        {"for_seconds": 150},
        [(10, 31), (200, 31), (290, 31), (349, 31)],
        [],
    ),
    "and it then counts from the reading after the gap": (
        {"for_seconds": 150},
        [(10, 31), (200, 31), (290, 31), (350, None)],
        [("raised", 350, 200)],
    ),
    "a reading in the very second in which the gap would begin prevents it": (
        {"for_seconds": 150},
        [(10, 31), (110, 31), (160, None)],
        [("raised", 160, 10)],
    ),
    "within the hysteresis an alert stays": (
        {"hysteresis": 2},
        [(10, 31), (20, 29), (30, 28)],
        [("raised", 10, 10), ("cleared", 30)],
    ),
    "within the hysteresis none begins": ({"hysteresis": 2}, [(10, 29)], []),
    "clearing takes its time": (
        {"clear_for_seconds": 50},
        [(10, 31), (20, 29), (69, None)],
        [("raised", 10, 10)],
    ),
    "and then happens without a message": (
        {"clear_for_seconds": 50},
        [(10, 31), (20, 29), (90, None)],
        [("raised", 10, 10), ("cleared", 70)],
    ),
    "a relapse while clearing is the same alert": (
        {"clear_for_seconds": 50},
        [(10, 31), (20, 29), (69, 31), (80, 29), (130, None)],
        [("raised", 10, 10), ("cleared", 130)],
    ),
    "a data gap while clearing starts the clearing over": (
        {"clear_for_seconds": 150},
        [(10, 31), (20, 29), (300, 29), (390, 29), (449, 29)],
        [("raised", 10, 10)],
    ),
    "silence leaves an alert as it is": ({}, [(10, 31), (5000, None)], [("raised", 10, 10)]),
    "silence is no alert unless it is asked for": ({}, [(10, 29), (5000, None)], []),
    "silence that is asked for is an alert from the second it is silence": (
        {"no_data_seconds": 40},
        [(10, 29), (5000, None)],
        [("raised", 50, 50)],
    ),
    "of an asset that never reported, too": (
        {"no_data_seconds": 40},
        [(39, None), (5000, None)],
        [("raised", 40, 40)],
    ),
    "the first reading ends it": (
        {"no_data_seconds": 40},
        [(5000, None), (5001, 20)],
        [("raised", 40, 40), ("cleared", 5001)],
    ),
    "no check is needed": (
        {"no_data_seconds": 40},
        [(10, 29), (200, 29)],
        [("raised", 50, 50), ("cleared", 200)],
    ),
    "readings that come just in time are no silence": (
        {"no_data_seconds": 40},
        [(10, 29), (50, 29), (90, 29), (129, None)],
        [],
    ),
    "silence turns what is pending into an alert where it is one": (
        {"no_data_seconds": 40, "for_seconds": 90},
        [(10, 31), (200, None)],
        [("raised", 50, 10)],
    ),
    "what is cleared can fall silent before anybody looks": (
        {"no_data_seconds": 40, "clear_for_seconds": 20},
        [(10, 31), (20, 29), (200, None)],
        [("raised", 10, 10), ("cleared", 40), ("raised", 60, 60)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_raises_and_clears(case: str) -> None:
    fields, happens, becomes = CASES[case]
    watched = rule(HOT, **fields)
    device = SimulatedDevice(watched, keep_alive=100)
    for at, value in happens:
        if value is None:
            device.look(at)
        else:
            device.read(at, T=value)
    assert device.told(watched) == becomes


@pytest.mark.parametrize("case", CASES)
def test_alerts_do_not_depend_on_when_they_are_evaluated(case: str) -> None:
    fields, happens, becomes = CASES[case]
    watched = rule(HOT, **fields)
    device = SimulatedDevice(watched, keep_alive=100)
    came = {at: value for at, value in happens if value is not None}
    for t in range(happens[-1][0] + 1):
        if t in came:
            device.read(t, T=came[t])
        device.look(t)
    assert device.told(watched) == becomes


def test_a_late_reading_that_would_have_stopped_the_timer_clears_the_alert_from_its_start() -> None:
    watched = rule(HOT, for_seconds=50)
    device = SimulatedDevice(watched)
    device.read(10, T=31)
    device.look(65)
    device.read(55, 66, T=29)
    assert device.told(watched) == [("raised", 60, 10), ("cleared", 60)]


def test_no_timer_runs_out_before_the_rule_was_what_it_is() -> None:
    silence, longer = rule(no_data_seconds=40, now=500), rule(HOT, for_seconds=10, now=500)
    device = SimulatedDevice()
    device.read(10, T=31)
    device.rules_changed(480, rule(HOT, for_seconds=5000))
    device.rules_changed(500, silence)
    assert device.told(silence) == [("raised", 500, 500)]
    # Another reading may be judged by the new rule before the change has been applied to the asset.
    device = SimulatedDevice(rule(HOT, for_seconds=50, clear_for_seconds=60), keep_alive=1000)
    device.read(10, T=31)
    device.rules = type(device.rules)([silence, longer])
    device.read(510, T=20)
    assert device.told(silence) == [("raised", 500, 500), ("cleared", 510)]
