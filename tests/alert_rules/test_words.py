"""Rules and the causes of alerts, as people read them."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.alert_rules.simulated_device import rule

from steward.alert_rules.alerts import model
from steward.alert_rules.alerts.model import AlertedAsset, AlertStatus
from steward.alert_rules.alerts.rules import cause, new_alert, value_now, work_order_title
from steward.alert_rules.evaluation import Raised
from steward.alert_rules.model import AlertRule, AlertWorkOrder, ConditionMatch
from steward.alert_rules.rules import duration_in_words, in_words, value_in_words
from steward.alert_rules.state_machine import compile_rule
from steward.asset_types.model import PropertyType, TelemetryProperty

PROPERTIES = [
    TelemetryProperty(key="T", name="Temperature", type=PropertyType.FLOAT, unit="°C"),
    TelemetryProperty(key="H", name="Relative humidity", type=PropertyType.FLOAT, unit="%"),
    TelemetryProperty(key="Door", name="Door open", type=PropertyType.BOOLEAN),
]
HOT = rule(("T", "gt", 30), for_seconds=300)
NOW = 100_000


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (HOT, "Temperature > 30 °C for 5 min"),
        (rule(("T", "lte", -0.5)), "Temperature ≤ -0.5 °C"),
        (rule(("T", "gt", 30), ("H", "lt", 20)), "Temperature > 30 °C and Relative humidity < 20 %"),
        (
            rule(("H", "lt", 20), ("H", "gte", 80), match=ConditionMatch.ANY, for_seconds=5400),
            "Relative humidity < 20 % or Relative humidity ≥ 80 % for 1 h 30 min",
        ),
        (rule(("Door", "eq", True)), "Door open is yes"),
        (rule(("Door", "ne", 1)), "Door open is no"),
        (rule(("Pressure", "eq", 1000)), "Pressure = 1,000"),
        (rule(no_data_seconds=3600), "No data for 1 h"),
        (rule(("T", "ne", 4), no_data_seconds=90), "Temperature ≠ 4 °C, or no data for 1 min 30 s"),
    ],
)
def test_a_rule_in_words(asked: AlertRule, words: str) -> None:
    assert in_words(asked, PROPERTIES) == words


OLD = replace(model.EXAMPLE, property=None, operator=None, value=None, threshold=None)


def _about(last_seen: int | None = NOW, **values: Any) -> AlertedAsset:
    return AlertedAsset("ast_1", "Rack 1", None, values or None, last_seen, PROPERTIES)


def _cause(
    asked: AlertRule | None, status: str = "Active", last_seen: int | None = NOW, **values: Any
) -> str:
    """Of an alert that doesn't know what raised it: from before that was kept, or of silence."""
    return cause(replace(OLD, status=AlertStatus(status)), asked, _about(last_seen, **values), NOW)


@pytest.mark.parametrize(
    ("asked", "raised_by", "words"),
    [
        (HOT, {"T": 31.24}, "Temperature 31.24 °C > 30 °C for 5 min"),
        (rule(("Door", "eq", True)), {"Door": True}, "Door open is yes"),
        (
            rule(("T", "gt", 30), ("H", "lt", 20)),
            {"T": 31, "H": 18},
            "Temperature 31 °C > 30 °C and Relative humidity < 20 %",
        ),
        (
            rule(("T", "gt", 30), ("H", "lt", 20), match=ConditionMatch.ANY),
            {"T": 29, "H": 18},
            "Relative humidity 18 % < 20 %",
        ),
    ],
)
def test_the_event_of_an_alert_has_the_value_that_raised_it(
    asked: AlertRule, raised_by: dict[str, Any], words: str
) -> None:
    alert = new_alert(Raised(compile_rule(asked), 1, 2, "alt_1", raised_by), "ast_1")
    assert cause(alert, asked, _about(T=20, H=50, Door=False), NOW) == words
    cleared = replace(alert, status=AlertStatus.CLEARED)
    assert cause(cleared, None, _about(), NOW) == words.removesuffix(" for 5 min").partition(" and ")[0]


def test_the_current_value_is_shown_too() -> None:
    alert = new_alert(Raised(compile_rule(HOT), 1, 2, "alt_1", {"T": 31}), "ast_1")
    assert value_now(alert, _about(T=29.5)) == "29.5 °C"
    assert value_now(alert, _about(H=29.5)) is value_now(OLD, _about(T=29.5)) is None


def test_an_alert_of_silence_has_no_value() -> None:
    alert = new_alert(Raised(compile_rule(HOT), 1, 2, "alt_1", None), "ast_1")
    assert (alert.property, alert.operator, alert.value, alert.threshold) == (None, None, None, None)


def test_an_open_alert_shows_the_current_value() -> None:
    assert _cause(HOT, T=31.24) == "Temperature now 31.24 °C > 30 °C for 5 min"
    assert _cause(HOT, "Acknowledged", T=31) == "Temperature now 31 °C > 30 °C for 5 min"
    assert _cause(rule(("Door", "eq", True)), Door=True) == "Door open is now yes"


def test_a_value_back_to_normal_is_not_reported_as_the_cause() -> None:
    assert _cause(HOT, T=29) == "Temperature > 30 °C for 5 min"
    both = rule(("T", "gt", 30), ("H", "lt", 20))
    assert _cause(both, T=31, H=50) == "Temperature > 30 °C and Relative humidity < 20 %"


def test_the_reported_conditions_are_those_that_match() -> None:
    either = rule(("T", "gt", 30), ("H", "lt", 20), match=ConditionMatch.ANY)
    assert _cause(either, T=20, H=18) == "Relative humidity now 18 % < 20 %"
    assert _cause(either, T=31, H=18) == "Temperature now 31 °C > 30 °C or Relative humidity now 18 % < 20 %"


def test_the_event_of_a_cleared_alert_has_the_values_of_the_rule() -> None:
    assert _cause(HOT, "Cleared", T=31) == "Temperature > 30 °C for 5 min"


def test_being_offline_is_a_cause() -> None:
    silent = rule(("T", "gt", 30), no_data_seconds=600)
    assert _cause(silent, last_seen=NOW - 7325, T=31) == "No data for 2 h 2 min, allowed are 10 min"
    assert _cause(silent, last_seen=NOW - 599, T=31) == "Temperature now 31 °C > 30 °C"
    assert _cause(silent, last_seen=None) == "No data has ever come"


def test_alerts_of_deleted_rules_are_shown() -> None:
    assert _cause(None, T=31) == "The rule that found this has been deleted"


@pytest.mark.parametrize(
    ("value", "words"),
    [(31.20, "31.2"), (30, "30"), (0, "0"), (-0.004, "-0.004"), (1234567.891, "1,234,567.89"), (True, "yes")],
)
def test_values_are_written_as_people_do(value: float, words: str) -> None:
    assert value_in_words(value, None) == words


def test_durations_are_exact() -> None:
    assert [duration_in_words(n) for n in (0, 59, 60, 3661, 90_000)] == [
        "0 s",
        "59 s",
        "1 min",
        "1 h 1 min 1 s",
        "1 d 1 h",
    ]


def test_the_title_of_a_work_order_comes_from_the_rule() -> None:
    about = AlertedAsset("ast_1", "Rack 1", None, None, None, [])
    wishing = replace(HOT, work_order=AlertWorkOrder(title="Check the cooling"))
    assert work_order_title(wishing, about) == "Check the cooling: Rack 1"
    assert work_order_title(HOT, about) == "Rule: Rack 1"
    assert work_order_title(None, about) == "Alert: Rack 1"
    assert len(work_order_title(replace(HOT, name="x" * 200), about)) == 200
