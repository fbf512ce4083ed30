"""Conditions as functions: compiled once per rule, called with every reading. Pure.

Each test exists twice: as stated, and relaxed by the hysteresis, for values that are recovering. A value that
meets the first always meets the second.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from steward.alert_rules.model import Condition, ConditionMatch, ConditionOperator

Values = Mapping[str, float | int | bool]
Test = Callable[[Values], bool]


def _gt(key: str, bound: float, values: Values) -> bool:
    value = values.get(key)
    return value is not None and value > bound


def _gte(key: str, bound: float, values: Values) -> bool:
    value = values.get(key)
    return value is not None and value >= bound


def _lt(key: str, bound: float, values: Values) -> bool:
    value = values.get(key)
    return value is not None and value < bound


def _lte(key: str, bound: float, values: Values) -> bool:
    value = values.get(key)
    return value is not None and value <= bound


def _eq(key: str, bound: float, values: Values, within: float = 0) -> bool:
    value = values.get(key)
    return value is not None and abs(value - bound) <= within


def _ne(key: str, bound: float, values: Values) -> bool:
    value = values.get(key)
    return value is not None and value != bound


def _test(condition: Condition, hysteresis: float) -> Test:
    key, bound = condition.key, float(condition.value)
    match condition.operator:
        case ConditionOperator.GT:
            return partial(_gt, key, bound - hysteresis)
        case ConditionOperator.GTE:
            return partial(_gte, key, bound - hysteresis)
        case ConditionOperator.LT:
            return partial(_lt, key, bound + hysteresis)
        case ConditionOperator.LTE:
            return partial(_lte, key, bound + hysteresis)
        case ConditionOperator.EQ:
            return partial(_eq, key, bound, within=hysteresis)
        case ConditionOperator.NE:
            return partial(_ne, key, bound)


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
