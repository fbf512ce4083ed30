"""The progress line of the benchmarks: what a run is expected to take, and what it learns on the way."""

import argparse
from types import ModuleType

import pytest
from bench.__main__ import plan, read_options
from bench.programs import find_programs, program
from bench.progress import Expected, Place, line, places


@pytest.mark.parametrize(
    ("expected", "seconds"),
    [
        (Expected(20), 20),
        (Expected(4, sides=2), 4 + 3 * 2 * (1 + 5)),
        (Expected(4, per_round=10, sides=3), 4 + 3 * (10 + 3 * (1 + 5))),
    ],
)
def test_a_scenario_takes_its_rounds_with_their_warm_up(expected, seconds) -> None:
    assert expected.seconds(rounds=3, seconds=5) == seconds


def test_each_scenario_knows_its_place_in_the_run() -> None:
    assert places([10, 20, 30], began=7) == [
        Place(7, 0, 10, 50),
        Place(7, 10, 20, 30),
        Place(7, 30, 30, 0),
    ]


def test_without_measurements_the_estimate_is_used() -> None:
    assert Place(0, 0, 40, 60).foreseen(elapsed=0, share=0) == 100


def test_the_remaining_time_is_scaled_by_the_measured_pace() -> None:
    # 60 of 120 foreseen seconds are done, and took twice as long.
    assert Place(0, 40, 40, 40).foreseen(elapsed=120, share=0.5) == 240


def test_the_line_shows_scenario_round_and_both_times() -> None:
    place = Place(began=1000, before=60, this=60, after=480)
    assert line(place, "deliver", 1, 3, now=1060) == "[1:00 of about 10:00] deliver: round 1 of 3"


def test_a_program_run_on_its_own_shows_no_estimate() -> None:
    assert line(None, "deliver", 2, 3, now=1060) == "deliver: round 2 of 3"


def _module(**names: object) -> ModuleType:
    module = ModuleType("bench.some.__main__")
    vars(module).update(names)
    return module


@pytest.mark.parametrize(
    ("exported", "default"),
    [
        ({}, ("a", "b")),
        ({"DEFAULT": ("b",)}, ("b",)),
        ({"DEFAULT": ()}, ()),
    ],
)
def test_a_program_declares_its_default_scenarios(exported, default) -> None:
    assert program("bench.some", _module(SCENARIOS=("a", "b"), **exported)).default == default


def test_a_program_is_given_its_scenarios_and_how_long() -> None:
    found = program("bench.some", _module(SCENARIOS=("a", "b"), EXPECTED={"a": Expected(5, sides=1)}))
    options = argparse.Namespace(scenarios=["b", "c"], rounds=2, seconds=3)
    assert found.words(options) == ["bench.some", "b", "--rounds", "2", "--seconds", "3"]
    # One that doesn't say takes a minute.
    assert [found.seconds(name, options) for name in found.names] == [5 + 2 * 4, 60]


def test_memory_minutes_are_passed_to_its_program_only() -> None:
    options = argparse.Namespace(scenarios=["memory"], rounds=2, seconds=3, memory_minutes=60)
    memory = program("bench.memory", _module(SCENARIOS=("memory",)))
    words = ["bench.memory", "memory", "--rounds", "2", "--seconds", "3", "--minutes", "60"]
    assert memory.words(options) == words


def test_a_whole_run_is_expected_to_end_within_fifteen_minutes() -> None:
    programs = find_programs()
    options = read_options([], programs)
    last = list(plan(options, programs).values())[-1]
    assert last.before + last.this < 15 * 60


def test_only_a_whole_run_is_published() -> None:
    programs = find_programs()
    assert [
        read_options(words, programs).publish
        for words in ([], ["--rounds", "9"], ["--rounds", "1"], ["--seconds", "1"], ["list"])
    ] == [True, True, False, False, False]
