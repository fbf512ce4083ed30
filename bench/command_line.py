"""The command line of the programs here: which scenarios, how many rounds of how many seconds, whether figures are kept."""

import argparse
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tests.support.waiting import NotReadyError

from bench import report
from bench.load import BrokenRunError
from bench.processes import MissingProgramError

# A scenario of a program: from what all of its scenarios share and the options to figures by the names that they are kept under.
Measure = Callable[[Any, argparse.Namespace], dict[str, Any]]
Opening = Callable[[argparse.Namespace], AbstractContextManager[Any]]


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """The options. From then on, SIGTERM also cleans up."""
    options = parser.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return options


def run(
    module: str,
    scenarios: Mapping[str, Measure],
    opened: Opening = lambda _options: nullcontext(),
    *,
    default: Sequence[str] = (),
    rounds: int = 3,
    seconds: int = 3,
    **more: Mapping[str, Any],
) -> int:
    """Measures the scenarios that the command line names, or else those by default. `more` are options of one program, as `add_argument` takes them."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description="See bench/README.md.")
    parser.add_argument("scenarios", nargs="*", choices=[*scenarios, []], metavar="scenario")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=int, default=seconds, help="of each round, about")
    parser.add_argument("--unwritten", action="store_true", help="leave bench/results as it is")
    for name, settings in more.items():
        parser.add_argument(f"--{name.replace('_', '-')}", **settings)
    options = parse(parser, sys.argv[1:])
    all_well = True
    try:
        with opened(options) as stage:
            for name in options.scenarios or default or scenarios:
                all_well &= _measure(name, scenarios[name], stage, options)
    except MissingProgramError as error:
        print(error, file=sys.stderr)
        return 2
    return int(not all_well)


def _measure(name: str, scenario: Measure, stage: Any, options: argparse.Namespace) -> bool:
    try:
        figures = scenario(stage, options)
    except (BrokenRunError, NotReadyError) as error:
        print(f"{name}: FAILED: {error}", flush=True)
        return False
    report.keep(figures, unwritten=options.unwritten)
    return True
