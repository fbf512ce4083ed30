"""Any number of sides by turns, and their figures."""

import os

import pytest
from bench.likeness import require_alike
from bench.load import BrokenRunError, Request, Sample
from bench.report import as_json, table_rows
from bench.rounds import FLOOR, OURS, PEER, Contestant, Result, compare
from bench.scenario import Place, Run


class Sides:
    """Sides that need no machine: each answers so many requests a second, in its turn."""

    def __init__(self, **rates: list[int]) -> None:
        self.turns: list[tuple[str, int]] = []
        self._rates = {side: iter(each) for side, each in rates.items()}

    def contestants(self) -> dict[str, Contestant]:
        return {side: self._contestant(side) for side in self._rates}

    def _contestant(self, side: str) -> Contestant:
        def load(seconds: int) -> Sample:
            self.turns.append((side, seconds))
            return Sample(next(self._rates[side]) * seconds, seconds * 1_000_000, 0, 0, 1000, 2000, 3000)

        return Contestant(load, [os.getpid()], os.getpid())


def _run(rounds: int) -> Run:
    return Run("some", rounds, 5, Place(0, 0, 1, 0))


def _three_sides() -> tuple[Sides, Result]:
    # Each warms up before it is measured.
    sides = Sides(ours=[1, 80, 1, 60, 1, 70], floor=[1, 100, 1, 100, 1, 100], peer=[1, 10, 1, 30, 1, 20])
    return sides, compare(_run(rounds=3), sides.contestants())


def test_sides_take_turns_and_warm_up() -> None:
    sides, _ = _three_sides()
    a_round = [(side, seconds) for side in (OURS, FLOOR, PEER) for seconds in (1, 5)]
    assert sides.turns == a_round * 3


def test_figures_are_medians_of_the_rounds_without_warm_ups() -> None:
    _, result = _three_sides()
    assert {side: figures.per_second for side, figures in result.sides.items()} == {
        OURS: 70,
        FLOOR: 100,
        PEER: 20,
    }
    assert result.sides[OURS].spread == [60, 80]
    assert (result.ratio, result.times_peer) == (0.7, 3.5)


def test_answered_requests_include_warm_ups() -> None:
    _, result = _three_sides()
    assert result.answered == 3 + 5 * (80 + 60 + 70)


def test_without_a_peer_none_is_mentioned() -> None:
    sides = Sides(ours=[1, 50], floor=[1, 100])
    result = compare(_run(rounds=1), sides.contestants())
    assert result.times_peer is None
    assert not [name for name in as_json(result) if "peer" in name]
    assert len(table_rows("some", result).splitlines()) == 2


def test_each_side_has_its_own_names_in_json() -> None:
    _, result = _three_sides()
    told = as_json(result)
    assert (told["ours"], told["floor"], told["peer"]) == (70, 100, 20)
    assert (told["ratio"], told["times_peer"]) == (0.7, 3.5)
    assert (told["p50"], told["floor_p50"], told["peer_p50"]) == (1.0, 1.0, 1.0)
    assert told["peer_spread"] == [10, 30]


def test_the_table_has_a_line_for_each_side() -> None:
    lines = table_rows("some", _three_sides()[1]).splitlines()
    assert [line[:17].split() for line in lines] == [["some", "ours"], ["floor"], ["peer"]]
    assert [line.split()[-1] for line in (lines[0], lines[2])] == ["70.0%", "1/3.5"]


def test_a_side_with_a_different_answer_is_named(answering) -> None:
    request = Request("GET", "/", {"X-API-Key": "key"})
    ours = answering(b'{"data":{"a":1,"b":"xy"}}')
    require_alike(request, ours, {FLOOR: answering(b'{"data":{"a":7,"b":"zz"}}')})
    with pytest.raises(BrokenRunError, match="the peer"):
        require_alike(
            request,
            ours,
            {FLOOR: answering(b'{"data":{"a":7,"b":"zz"}}'), PEER: answering(b'{"data":{"b":"zz","a":7}}')},
        )
