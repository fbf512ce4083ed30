"""The definition of a rule, told plainly: second by second, with nothing remembered but what the definition names.

It is slow and shares no code with the engine; the engine has to agree with it on every second.
"""

import operator
from typing import Any

_COMPARED = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
}


def _meets(condition: Any, values: dict[str, Any]) -> bool:
    if condition.key not in values:
        return False
    return bool(_COMPARED[condition.operator.value](values[condition.key], condition.value))


def _keeps(condition: Any, values: dict[str, Any], h: float) -> bool:
    if condition.key not in values:
        return False
    v, value = values[condition.key], condition.value
    return {
        "gt": v > value - h,
        "gte": v >= value - h,
        "lt": v < value + h,
        "lte": v <= value + h,
        "eq": abs(v - value) <= h,
        "ne": v != value,
    }[condition.operator.value]


def _together(rule: Any, each: list[bool]) -> bool:
    if not each:
        return False
    return all(each) if rule.match.value == "all" else any(each)


class ReferenceModel:
    """One rule over one asset. `step` is called once for every second, after the reading of that second, if there is one."""

    def __init__(self, created: int, keep_alive: int) -> None:
        self.created = created
        self.keep_alive = keep_alive
        self.values: dict[str, Any] = {}
        self.last: int | None = None
        self.phase = "quiet"
        self.since = 0
        # ("raised", second, first seen) and ("cleared", second)
        self.log: list[tuple[Any, ...]] = []
        self.seen: list[int] = []
        self.phase_changes: list[int] = []

    def silent(self, rule: Any, t: int) -> bool:
        if self.last is None:
            return rule.no_data_seconds is None or t - self.created >= rule.no_data_seconds
        window = self.keep_alive if rule.no_data_seconds is None else rule.no_data_seconds
        return t - self.last >= window

    def raw(self, rule: Any) -> bool:
        return _together(rule, [_meets(condition, self.values) for condition in rule.conditions])

    def held(self, rule: Any) -> bool:
        return _together(
            rule, [_keeps(condition, self.values, rule.hysteresis) for condition in rule.conditions]
        )

    def read(self, t: int, values: dict[str, Any]) -> None:
        self.values = {**self.values, **values}
        self.last = t

    def step(self, rule: Any, t: int, *, reading: bool = False) -> None:
        was_open = self.phase in {"active", "clearing"}
        before = None
        while self.phase != before:
            before = self.phase
            self._once(rule, t)
        if reading and was_open and self.phase == "active":
            self.seen.append(t)

    def gone(self, t: int) -> None:
        """The rule is deleted or switched off."""
        if self.phase in {"active", "clearing"}:
            self.log.append(("cleared", t))
        self._to("quiet", t)

    def _to(self, phase: str, t: int) -> None:
        if phase != self.phase:
            self.phase, self.since = phase, t
            self.phase_changes.append(t)

    def _raise(self, first_seen: int, t: int) -> None:
        self.log.append(("raised", t, first_seen))
        self._to("active", t)

    def _once(self, rule: Any, t: int) -> None:
        silent, raw, held = self.silent(rule, t), self.raw(rule), self.held(rule)
        silence_counts = rule.no_data_seconds is not None
        if self.phase == "quiet":
            if silent and silence_counts:
                self._raise(t, t)
            elif not silent and raw:
                self._to("pending", t)
        elif self.phase == "pending":
            if silent and silence_counts:
                self._raise(self.since, t)
            elif silent or not raw:
                self._to("quiet", t)
            elif t - self.since >= rule.for_seconds:
                self._raise(self.since, t)
        elif self.phase == "active":
            if not silent and not held:
                self._to("clearing", t)
        elif self.phase == "clearing":
            if silent or held:
                self._to("active", t)
            elif t - self.since >= rule.clear_for_seconds:
                self.log.append(("cleared", t))
                self._to("quiet", t)
