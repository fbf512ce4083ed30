"""`python -m bench.delivery [deliver] [latency]`; bench/README.md explains the figures."""

import argparse
import sys
from collections.abc import Callable
from typing import Any

from bench import processes, report
from bench.command_line import parse
from bench.delivery.latency import latency
from bench.delivery.throughput import deliver
from bench.load import BrokenRunError
from bench.progress import Expected

SCENARIOS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "deliver": deliver,
    "latency": latency,
}
EXPECTED = {
    "deliver": Expected(24, per_round=16, sides=3),
    "latency": Expected(12, per_round=1, sides=1),
}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.delivery", description="Deliveries beside their floor."
    )
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3)
    options = parse(parser, words, unwritten=False)
    failed = False
    for name in options.scenarios or SCENARIOS:
        try:
            report.write_figures(SCENARIOS[name](options))
        except (BrokenRunError, processes.NotReadyError) as error:
            failed = True
            print(f"{name}: FAILED: {error}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
