"""`python -m bench.delivery [deliver] [deliver_one] [waiting] [latency] [neighbours]`; bench/README.md explains the figures."""

import argparse
import signal
import sys
from collections.abc import Callable
from typing import Any

from bench import report
from bench.delivery.scenarios import deliver, deliver_one, latency, neighbours, waiting

SCENARIOS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "deliver": deliver,
    "deliver_one": deliver_one,
    "waiting": waiting,
    "latency": latency,
    "neighbours": neighbours,
}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.delivery", description="Deliveries beside their floor."
    )
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--most-waiting", type=int, default=100_000, help="deliveries that wait, at most")
    options = parser.parse_args(words)
    # So that being told to stop also tidies up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in options.scenarios or SCENARIOS:
        report.write_figures(SCENARIOS[name](options))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
