"""`python -m bench.telemetry [scenario …] [--rounds N] [--seconds N] [--profile]`; bench/README.md explains the figures."""

import argparse
import sys
from collections.abc import Callable
from typing import Any

from bench import processes, report
from bench.command_line import parse
from bench.load import BrokenRunError, NoLoadGeneratorError, find_wrk
from bench.progress import Expected
from bench.telemetry import running
from bench.telemetry.fleet import ASSETS_COUNT
from bench.telemetry.scenarios import telemetry_batch, telemetry_mqtt, telemetry_single

SCENARIOS: dict[str, Callable[[running.Stage, argparse.Namespace], dict[str, Any]]] = {
    "telemetry_single": telemetry_single,
    "telemetry_batch": telemetry_batch,
    "telemetry_mqtt": telemetry_mqtt,
}
# The first also has the fleet to make.
EXPECTED = {
    "telemetry_single": Expected(45, sides=2),
    "telemetry_batch": Expected(14, sides=2),
    "telemetry_mqtt": Expected(14, per_round=6, sides=2),
}


def _read_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.telemetry", description="Readings beside their floor."
    )
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--devices", type=int, default=ASSETS_COUNT)
    parser.add_argument(
        "--api-processes", type=int, default=2, help="that share the port: one for each core here"
    )
    parser.add_argument("--profile", action="store_true", help="record our API process with py-spy, too")
    return parse(parser, words, unwritten=False)


def main(words: list[str]) -> int:
    options = _read_options(words)
    try:
        find_wrk()
        running.find_mosquitto()
    except (NoLoadGeneratorError, running.NoBrokerError) as error:
        print(error, file=sys.stderr)
        return 2
    failed = False
    with running.stage(options.devices) as stage:
        print(report.heading(), flush=True)
        for name in options.scenarios or SCENARIOS:
            try:
                report.write_figures(SCENARIOS[name](stage, options))
            except (BrokenRunError, processes.NotReadyError) as error:
                failed = True
                print(f"{name}: FAILED: {error}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
