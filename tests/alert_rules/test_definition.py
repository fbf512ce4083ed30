"""The engine against the plain definition: random rules, readings with gaps, and looks at any time."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.alert_rules.reference_model import ReferenceModel
from tests.alert_rules.simulated_device import SimulatedDevice, rule

from steward.alert_rules.model import AlertRule, ConditionMatch

END = 160
KEYS = ("T", "H")

seconds = st.integers(min_value=1, max_value=END)
numbers = st.sampled_from([-1, 0, 1, 2, 3, 4, 0.5, 1.5, 2.5, True, False])
conditions = st.tuples(
    st.sampled_from(KEYS), st.sampled_from(["gt", "gte", "lt", "lte", "eq", "ne"]), numbers
)
readings = st.dictionaries(seconds, st.dictionaries(st.sampled_from(KEYS), numbers), max_size=25)


@st.composite
def rules(draw: st.DrawFn) -> AlertRule:
    asked = draw(st.lists(conditions, max_size=3))
    no_data = st.integers(min_value=1, max_value=40)
    return rule(
        *asked,
        match=draw(st.sampled_from(ConditionMatch)),
        for_seconds=draw(st.sampled_from([0, 0, 1, 5, 12, 30])),
        clear_for_seconds=draw(st.sampled_from([0, 0, 1, 5, 12, 30])),
        hysteresis=draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])),
        no_data_seconds=draw(st.none() | no_data) if asked else draw(no_data),
    )


@st.composite
def changes_of_rules(draw: st.DrawFn) -> dict[int, AlertRule | None]:
    """What one rule is from which second on; None while it is switched off. It begins after the asset."""
    first = draw(rules())
    changes: dict[int, AlertRule | None] = {draw(st.integers(min_value=0, max_value=20)): first}
    for second in draw(st.lists(seconds, max_size=3)):
        other = draw(st.none() | rules())
        changes[second] = None if other is None else replace(other, id=first.id, updated=second)
    return {t: each and replace(each, id=first.id, updated=t) for t, each in sorted(changes.items())}


def _phase(device: SimulatedDevice, id: str) -> str:
    watch = device.rule_states.get(id)
    return "quiet" if watch is None else watch.phase.value


def _told(device: SimulatedDevice) -> list[tuple[Any, ...]]:
    return [entry[1:-1] for entry in device.log if entry[1] != "seen"]


@settings(max_examples=600)
@given(rules(), readings, st.sets(seconds, max_size=12), st.integers(min_value=1, max_value=60))
def test_the_engine_agrees_with_the_definition_on_every_second(
    watched: AlertRule, came: dict[int, dict[str, Any]], looks: set[int], keep_alive: int
) -> None:
    reference, device = (
        ReferenceModel(0, keep_alive),
        SimulatedDevice(watched, created=0, keep_alive=keep_alive),
    )
    for t in range(END + 1):
        if t in came:
            reference.read(t, came[t])
        reference.step(watched, t, reading=t in came)
        if t in came:
            device.read(t, **came[t])
        if t in looks or t == END:
            device.look(t)
        if t in came or t in looks:
            assert _phase(device, watched.id) == reference.phase
    assert device.told(watched) == reference.log
    assert device.seen(watched) == reference.seen
    assert _phase(device, watched.id) == reference.phase
    assert device.status == ("Warning" if reference.phase in {"active", "clearing"} else "Normal")


@settings(max_examples=400)
@given(rules(), readings, st.integers(min_value=1, max_value=60))
def test_the_next_timer_is_due_exactly_when_something_happens_next(
    watched: AlertRule, came: dict[int, dict[str, Any]], keep_alive: int
) -> None:
    reference, device = (
        ReferenceModel(0, keep_alive),
        SimulatedDevice(watched, created=0, keep_alive=keep_alive),
    )
    device.look(0)
    for t in range(END + 1):
        if t in came:
            reference.read(t, came[t])
        changes = len(reference.phase_changes)
        reference.step(watched, t, reading=t in came)
        if t in came:
            device.read(t, **came[t])
        elif device.due is not None and device.due <= t:
            assert len(reference.phase_changes) > changes, "a timer ran out and nothing happened"
            assert device.due == t
            device.look(t)
        else:
            assert len(reference.phase_changes) == changes, "something happened and no timer was due"
            before = device.state
            device.look(t)
            assert device.state == before


@settings(max_examples=400)
@given(changes_of_rules(), readings, st.sets(seconds, max_size=8), st.integers(min_value=1, max_value=60))
def test_changed_rules_are_applied_to_known_values(
    changes: dict[int, AlertRule | None], came: dict[int, dict[str, Any]], looks: set[int], keep_alive: int
) -> None:
    reference, device = ReferenceModel(0, keep_alive), SimulatedDevice(created=0, keep_alive=keep_alive)
    now_holds: AlertRule | None = None
    for t in range(END + 1):
        if t in came:
            reference.read(t, came[t])
            device.read(t, **came[t])
        if now_holds is not None:
            reference.step(now_holds, t, reading=t in came)
        if t in changes:
            device.look(t)
            now_holds = changes[t]
            if now_holds is None:
                reference.gone(t)
                device.rules_changed(t)
            else:
                reference.step(now_holds, t)
                device.rules_changed(t, now_holds)
                assert _phase(device, now_holds.id) == reference.phase
        elif t in looks or t == END:
            device.look(t)
    assert _told(device) == reference.log
    assert [entry[2] for entry in device.log if entry[1] == "seen"] == reference.seen


late_readings = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 30), st.dictionaries(st.sampled_from(KEYS), numbers)),
    max_size=20,
)


@settings(max_examples=400)
@given(st.lists(rules(), min_size=1, max_size=4), late_readings, st.integers(min_value=1, max_value=60))
def test_alerts_stay_in_order_however_late_readings_come(
    watching: list[AlertRule], came: list[tuple[int, int, dict[str, Any]]], keep_alive: int
) -> None:
    """Each reading comes some time after the one before, and after its own time; the clock is looked at in between."""
    device = SimulatedDevice(*watching, keep_alive=keep_alive)
    now, newest = 0, -1
    for pause, delay, values in came:
        now += pause
        device.look(now)
        at = max(now - delay, 0)
        if at >= newest:
            device.read(at, now, **values)
            newest = at
    device.look(now + 500)
    for each in watching:
        alerts = [entry for entry in device.log if entry[0] == each.id and entry[1] != "seen"]
        raised = {entry[-1]: entry[2] for entry in alerts if entry[1] == "raised"}
        cleared = {entry[-1]: entry[2] for entry in alerts if entry[1] == "cleared"}
        assert len(raised) + len(cleared) == len(alerts), "an alert was raised or cleared twice"
        assert all(raised[alert] <= at for alert, at in cleared.items())
        still_open = set(raised) - set(cleared)
        watch = device.watch(each)
        assert still_open == ({watch.alert} if watch and watch.alert else set())
        assert watch is None or (watch.alert is None) == (watch.phase == "pending")
