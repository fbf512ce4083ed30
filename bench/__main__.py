"""`python -m bench [scenario …] [--all] [--rounds N] [--seconds N] [--profile]`; bench/README.md explains the figures."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack

from bench import progress, publishing, report
from bench.command_line import parse
from bench.processes import MissingProgramError, find_program
from bench.programs import Program, find_programs
from bench.scenario import Scenario
from bench.scenarios import BY_NAME
from bench.side_by_side import expected, open_bench, run_all

_ROUNDS, _SECONDS = 3, 2


def read_options(words: Sequence[str], programs: Sequence[Program]) -> argparse.Namespace:
    known = [*BY_NAME, *(name for program in programs for name in program.names)]
    default = [*BY_NAME, *(name for program in programs for name in program.default)]
    rest = [name for name in known if name not in default]
    parser = argparse.ArgumentParser(prog="python -m bench", description="The service beside its floors.")
    parser.add_argument(
        "scenarios",
        nargs="*",
        metavar="scenario",
        help=f"of {', '.join(known)}; all by default but {', '.join(rest) or 'none'}",
    )
    parser.add_argument("--all", action="store_true", help="those that only run when they are named, too")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help=f"of each side; {_ROUNDS} unless told")
    parser.add_argument(
        "--seconds", type=int, default=_SECONDS, help=f"of each round; {_SECONDS} unless told"
    )
    parser.add_argument(
        "--memory-minutes", type=float, default=0.5, help="of load for `memory`; 60 for an hour"
    )
    parser.add_argument("--profile", action="store_true", help="record our API process with py-spy, too")
    options = parse(parser, words)
    if unknown := set(options.scenarios) - set(known):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    if options.rounds < 1 or options.seconds < 1:
        parser.error("--rounds and --seconds must be at least 1")
    # What is published is never less than a whole run.
    options.publish = not options.scenarios and options.rounds >= _ROUNDS and options.seconds >= _SECONDS
    options.scenarios = known if options.all else list(dict.fromkeys(options.scenarios)) or default
    return options


def _chosen(options: argparse.Namespace) -> list[Scenario]:
    return [BY_NAME[name] for name in options.scenarios if name in BY_NAME]


def plan(options: argparse.Namespace, programs: Sequence[Program]) -> dict[str, progress.Place]:
    """Where each scenario stands in the whole run."""
    seconds = {
        scenario.name: expected(scenario, first=not number).seconds(options.rounds, options.seconds)
        for number, scenario in enumerate(_chosen(options))
    }
    for program in programs:
        for name in program.chosen(options.scenarios):
            seconds[name] = program.seconds(name, options)
    return dict(zip(seconds, progress.places(list(seconds.values()), time.time()), strict=True))


def _run_ours(options: argparse.Namespace, chosen: Sequence[Scenario]) -> bool:
    with_peer = any(scenario.has_peer for scenario in chosen)
    with ExitStack() as stack:
        found, all_well = run_all(open_bench(options, with_peer=with_peer, stack=stack), chosen)
    print(f"written to {report.write_figures(found)}")
    return all_well


def _run_programs(options: argparse.Namespace, programs: Sequence[Program]) -> bool:
    all_well = True
    for program in programs:
        if program.chosen(options.scenarios):
            words = program.words(options)
            print(f"python -m {' '.join(words)}", flush=True)
            all_well &= subprocess.run([sys.executable, "-m", *words], check=False).returncode == 0
    return all_well


def _publish(began: float) -> None:
    """Into README and docs, when every figure of a whole run is there."""
    found = report.read_figures()
    fresh = {name: figures for name, figures in found.items() if figures.get("measured", 0) >= int(began)}
    for page in publishing.publish(fresh):
        print(f"written to {page}")


def main(words: Sequence[str]) -> int:
    programs = find_programs()
    options = read_options(words, programs)
    try:
        find_program("wrk")
    except MissingProgramError as error:
        print(error, file=sys.stderr)
        return 2
    began = time.time()
    chosen = _chosen(options)
    os.environ |= progress.environment(plan(options, programs))
    all_well = _run_ours(options, chosen) if chosen else True
    all_well &= _run_programs(options, programs)
    if all_well and options.publish:
        _publish(began)
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
