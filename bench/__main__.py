"""`python -m bench [scenario …] [--all] [--rounds N] [--seconds N] [--profile]`; bench/README.md explains the figures."""

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bench import exports, feed, publishing, report, side_by_side, start
from bench.delivery import latency, throughput
from bench.pages import scenarios as pages
from bench.processes import MissingProgramError, find_program
from bench.quiet_caller import scenarios as quiet_caller
from bench.scenario import Run, Scenario, Suite, places
from bench.telemetry import scenarios as telemetry

SUITES = (
    side_by_side.SUITE,
    throughput.SUITE,
    latency.SUITE,
    exports.SUITE,
    feed.SUITE,
    pages.SUITE,
    quiet_caller.SUITE,
    start.SUITE,
    telemetry.SUITE,
)
SCENARIOS: dict[str, Scenario] = {name: one for suite in SUITES for name, one in suite.scenarios.items()}
_ROUNDS, _SECONDS = 3, 2


def read_options(words: Sequence[str]) -> argparse.Namespace:
    default = [name for name, scenario in SCENARIOS.items() if scenario.default]
    rest = ", ".join(name for name in SCENARIOS if name not in default)
    parser = argparse.ArgumentParser(prog="python -m bench", description="The service beside its floors.")
    known = f"of {', '.join(SCENARIOS)}; all by default but {rest}"
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario", help=known)
    parser.add_argument("--all", action="store_true", help="those that only run when they are named, too")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help=f"of each side; {_ROUNDS} unless told")
    parser.add_argument(
        "--seconds", type=int, default=_SECONDS, help=f"of each round; {_SECONDS} unless told"
    )
    parser.add_argument("--profile", action="store_true", help="record our API process with py-spy, too")
    parser.add_argument("--unwritten", action="store_true", help="leave bench/results as it is")
    options = parser.parse_args(words)
    if options.rounds < 1 or options.seconds < 1:
        parser.error("--rounds and --seconds must be at least 1")
    # What is published is never less than a whole run.
    whole = not options.scenarios and options.rounds >= _ROUNDS and options.seconds >= _SECONDS
    options.publish = whole and not options.unwritten
    options.scenarios = [*SCENARIOS] if options.all else options.scenarios or default
    return options


def plan(options: argparse.Namespace) -> list[tuple[Suite, list[Run]]]:
    """What is wanted of each suite, and where it stands in the whole run."""
    wanted = [(suite, [name for name in suite.scenarios if name in options.scenarios]) for suite in SUITES]
    expected = [
        SCENARIOS[name].expected.seconds(options.rounds, options.seconds)
        + (0 if number else suite.opening_seconds)
        for suite, names in wanted
        for number, name in enumerate(names)
    ]
    place = iter(places(expected, time.time()))
    return [
        (suite, [Run(name, options.rounds, options.seconds, next(place), options.profile) for name in names])
        for suite, names in wanted
        if names
    ]


@contextmanager
def _surviving(what: str) -> Iterator[None]:
    """What fails is said, and leaves the others to be measured."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 (whatever it is, it must not take the other figures with it)
        traceback.print_exc()
        print(f"{what}: FAILED: {error}", flush=True)


def _measure(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The figures by scenario; one that failed is missing."""
    found = {}
    for suite, runs in plan(options):
        with _surviving(runs[0].name), suite.opened() as stage:
            for run in runs:
                with _surviving(run.name):
                    found[run.name] = SCENARIOS[run.name].measure(stage, run)
                    report.keep(run.name, found[run.name], unwritten=options.unwritten)
    return found


def main(words: Sequence[str]) -> int:
    options = read_options(words)
    # Being told to stop also cleans up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        find_program("wrk")
    except MissingProgramError as error:
        print(error, file=sys.stderr)
        return 2
    found = _measure(options)
    all_well = found.keys() == set(options.scenarios)
    if all_well and options.publish:
        for page in publishing.publish(found):
            print(f"written to {page}")
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
