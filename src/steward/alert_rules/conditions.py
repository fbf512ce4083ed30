"""Conditions as functions: compiled once per rule, called with every reading. Pure.

Each test exists twice: as stated, and relaxed by the hysteresis, for values that are recovering. A value that
meets the first always meets the second.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from steward.alert_rules.model import Condition, ConditionMatch, ConditionOperator

Values = Mapping[str, float | int | bool]
Test = Callable[[Values], bool]


def _test(condition: Condition, hysteresis: float) -> Test:
    key, bound = condition.key, float(condition.value)
    low, high = bound - hysteresis, bound + hysteresis
    match condition.operator:
        case ConditionOperator.GT:
            return lambda values: (value := values.get(key)) is not None and value > low
        case ConditionOperator.GTE:
            return lambda values: (value := values.get(key)) is not None and value >= low
        case ConditionOperator.LT:
            return lambda values: (value := values.get(key)) is not None and value < high
        case ConditionOperator.LTE:
            return lambda values: (value := values.get(key)) is not None and value <= high
        case ConditionOperator.EQ:
            return lambda values: (value := values.get(key)) is not None and abs(value - bound) <= hysteresis
        case ConditionOperator.NE:
            return lambda values: (value := values.get(key)) is not None and value != bound


def _never(_values: Values) -> bool:
    return False


def _combined(tests: Iterable[Test], match: ConditionMatch) -> Test:
    # A loop costs half as much as all() over a generator.
    decisive = match is ConditionMatch.ANY
    in_order = tuple(tests)

    def test(values: Values) -> bool:
        for each in in_order:
            if each(values) is decisive:
                return decisive
        return not decisive

    return test


def first_met(conditions: Iterable[Condition], values: Values) -> Condition | None:
    return next((condition for condition in conditions if _test(condition, 0)(values)), None)


def met_by(conditions: Sequence[Condition], match: ConditionMatch, hysteresis: float = 0) -> Test:
    """Whether values meet the conditions; without conditions none do."""
    tests = [_test(condition, hysteresis) for condition in conditions]
    match len(tests):
        case 0:
            return _never
        case 1:
            return tests[0]
        case _:
            return _combined(tests, match)
