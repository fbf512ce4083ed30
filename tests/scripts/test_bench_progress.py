"""The progress line of the benchmarks: what a run is expected to take, and what it learns on the way."""

import pytest
from bench.__main__ import plan, read_options
from bench.scenario import Expected, Place, Run, places


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
    run = Run("deliver", 3, 2, Place(began=1000, before=60, this=60, after=480))
    assert run.line(1, 3, now=1060) == "[1:00 of about 10:00] deliver: round 1 of 3"


def test_each_part_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    run = Run("deliver", 3, 2, Place(began=0, before=0, this=60, after=0))
    assert list(run.each("ab")) == ["a", "b"]
    assert [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "deliver: round 1 of 2",
        "deliver: round 2 of 2",
    ]


def test_scenarios_are_grouped_by_what_they_share() -> None:
    wanted = read_options(["get", "latency", "list", "--rounds", "2"])
    assert [[run.name for run in runs] for _, runs in plan(wanted)] == [["list", "get"], ["latency"]]


def test_a_whole_run_is_expected_to_end_within_fifteen_minutes() -> None:
    last = plan(read_options([]))[-1][1][-1].place
    assert last.before + last.this < 15 * 60


def test_a_whole_run_leaves_out_what_only_runs_when_it_is_named() -> None:
    default, all_of_them = (set(read_options(words).scenarios) for words in ([], ["--all"]))
    assert all_of_them - default >= {"page_asset", "neighbours_export"}


def test_only_a_whole_run_is_published() -> None:
    assert [
        read_options(words).publish
        for words in ([], ["--rounds", "9"], ["--rounds", "1"], ["--seconds", "1"], ["list"], ["--unwritten"])
    ] == [True, True, False, False, False, False]
