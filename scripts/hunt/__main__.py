"""Runs tests again and again under changing conditions, and lists those that were not green each time: `make test-hunt`.

Tries the tests that a change touches, or those named on the command line. `--minutes` bounds the whole; a round is one
run of pytest, in random order, under one condition. Ends with 1 if a test failed or none was run.
"""

import argparse
import os
import random
import sys
import time
from itertools import cycle
from pathlib import Path

from scripts.hunt.changes import touched_tests
from scripts.hunt.conditions import CONDITIONS, Condition
from scripts.hunt.report import Report
from scripts.hunt.rounds import run_round


def main() -> int:
    options = _options()
    files = options.tests or touched_tests(options.since)
    if not files:
        sys.stdout.write(
            "hunt: no test is touched by the change; name some: make test-hunt TESTS=tests/bookings\n"
        )
        return 0
    report = Report()
    for number, condition in enumerate(cycle(_possible(options.conditions, report))):
        if number and time.monotonic() - options.began > options.minutes * 60:
            break
        seed = options.seed + number
        sample = sorted(random.Random(seed).sample(files, min(options.files, len(files))))
        report.add(condition, seed, run_round(condition, sample, seed, marker=options.marker))
    sys.stdout.write(report.text())
    return 0 if report.is_green else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make test-hunt", description=__doc__)
    parser.add_argument("tests", nargs="*", type=Path)
    parser.add_argument(
        "--since", help="the commit that the change began after (5 commits ago, or the upstream branch)"
    )
    parser.add_argument("--minutes", type=float, default=30, help="no round begins later (30)")
    parser.add_argument(
        "--files", type=int, default=40, help="so many files at most in a round, drawn at random (40)"
    )
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(10**6), help="repeats a hunt"
    )
    parser.add_argument("--marker", default="not long", help="as pytest's -m (not long)")
    parser.add_argument(
        "--conditions",
        type=_conditions,
        default=CONDITIONS,
        help="only these, by name and with commas between",
    )
    options = parser.parse_args()
    options.began = time.monotonic()
    return options


def _possible(chosen: list[Condition], report: Report) -> list[Condition]:
    """What this machine can't do is left out and reported."""
    possible = []
    for condition in chosen:
        if reason := condition.impossible():
            report.skip(condition, reason)
        else:
            possible.append(condition)
    return possible


def _conditions(names: str) -> list[Condition]:
    known = {condition.name: condition for condition in CONDITIONS}
    if unknown := sorted(set(names.split(",")) - known.keys()):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in names.split(",")]


if __name__ == "__main__":
    os.chdir(Path(__file__).parents[2])
    sys.exit(main())
