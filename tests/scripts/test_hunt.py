"""The hunt for tests that are not green every time: what it chooses, and how it reports what it found."""

import datetime as dt
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.hunt import changes
from scripts.hunt.conditions import CONDITIONS, Condition
from scripts.hunt.report import Report
from scripts.hunt.rounds import Round, read_report, run_round

_ROOT = Path(__file__).parents[2]
_FLAKY = """
from pathlib import Path

def test_green():
    pass

def test_a_test_that_fails_on_its_second_run():
    mark = Path(__file__).with_name("mark")
    assert not mark.exists(), "leftovers"
    mark.touch()
"""


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)
    # What is run in these tests needs none of the plugins, and importing them takes seconds.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv(
        "PYTEST_ADDOPTS", "--override-ini=asyncio_mode= --override-ini=asyncio_default_fixture_loop_scope="
    )


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        ("tests/visitors/test_api.py", "tests/visitors/test_api.py"),
        ("tests/webhook_delivery/conftest.py", "tests/webhook_delivery/test_waking.py"),
        ("src/steward/bookings/rules.py", "tests/bookings/test_feeds.py"),
        ("src/steward/bookings/series/rules.py", "tests/bookings/test_feeds.py"),
        ("src/steward/bookings/rules.py", "tests/web/test_bookings.py"),
        ("src/steward/kit/db/pool.py", "tests/kit/db/test_pool.py"),
        ("src/steward/web/static/js/board.js", "tests/web/browser/test_work_orders.py"),
        ("docs/concepts/events.md", "tests/docs/test_links.py"),
    ],
)
def test_a_changed_file_selects_its_tests(changed: str, touched: str) -> None:
    assert Path(touched) in set(changes.tests_of([Path(changed)]))


def test_a_deleted_test_and_a_changelog_select_no_tests() -> None:
    assert list(changes.tests_of([Path("tests/visitors/test_gone.py"), Path("CHANGELOG.md")])) == []


def test_a_test_that_fails_the_second_time_is_found(tmp_path: Path) -> None:
    file = tmp_path / "test_flaky.py"
    file.write_text(_FLAKY, encoding="utf-8")
    report = Report()
    for seed in (1, 2):
        report.add(CONDITIONS[0], seed, run_round(CONDITIONS[0], [file], seed, processes=1))
    ((test, [(condition, seed, text)]),) = report.failures.items()
    assert test.endswith("::test_a_test_that_fails_on_its_second_run")
    assert (condition, seed) == ("alone", 2)
    assert "leftovers" in text
    assert "alone: 2 rounds, 4 tests" in report.text()
    assert f"NOT GREEN 1 times: {test}" in report.text()


def test_a_run_that_collects_nothing_is_not_green(tmp_path: Path) -> None:
    file = tmp_path / "test_broken.py"
    file.write_text("import nowhere_to_be_found", encoding="utf-8")
    assert run_round(CONDITIONS[0], [file], 1, processes=1).failures


def test_a_hunt_that_runs_nothing_is_not_green() -> None:
    report = Report()
    report.skip(CONDITIONS[0], "not here")
    assert not report.is_green
    assert "no test was run" in report.text()


def test_a_condition_that_is_misspelt_is_refused() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "scripts.hunt", "--conditions", "midnigth"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "unknown: midnigth; there are: alone, busy, midnight" in ran.stderr


def test_errors_of_fixtures_count(tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    file.write_text(
        '<testsuites><testsuite><testcase classname="tests.a" name="test_one"><error>no database</error></testcase>'
        '<testcase classname="tests.a" name="test_two"/></testsuite></testsuites>',
        encoding="utf-8",
    )
    assert read_report(file) == Round(2, {"tests.a::test_one": "no database"})


def test_a_seed_draws_one_order_and_keeps_files_together(tmp_path: Path) -> None:
    for name in "abc":
        tests = "\n".join(f"def test_{name}{number}(): pass" for number in range(5))
        (tmp_path / f"test_{name}.py").write_text(tests, encoding="utf-8")

    def order(seed: str) -> list[str]:
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "--collect-only",
                "-p",
                "scripts.hunt.shuffle",
                str(tmp_path),
            ],
            env={**os.environ, "HUNT_SEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        return [line.rpartition("::")[2] for line in ran.stdout.splitlines() if "::" in line]

    first = order("1")
    assert first == order("1") != order("2")
    assert sorted(first) == sorted(order("2"))
    letters = [name[5] for name in first]
    assert sum(one != other for one, other in itertools.pairwise(letters)) == 2


@pytest.mark.skipif(
    Condition("", clock=(1, 1, 0)).impossible() is not None,
    reason="no C compiler: apt-get install gcc libc6-dev",
)
def test_the_clock_is_set_and_spans_of_time_are_not() -> None:
    told = "import time; began = time.monotonic(); time.sleep(0.01); print(time.time(), time.monotonic() - began)"
    with Condition("", clock=(2, 1, 0)).brought_about() as changed:
        ran = subprocess.run(
            [sys.executable, "-c", told],
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            check=True,
        )
    shown, span = ran.stdout.split()
    moment = dt.datetime.fromtimestamp(float(shown), dt.UTC)
    assert (moment.month, moment.day, moment.hour) in {(1, 31, 23), (2, 1, 0)}
    assert 0.01 <= float(span) < 3600
