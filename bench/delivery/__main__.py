"""`python -m bench.delivery [deliver] [latency]`; bench/README.md explains the figures."""

import sys

from bench.command_line import run
from bench.delivery.latency import latency
from bench.delivery.throughput import deliver
from bench.progress import Expected

SCENARIOS = {"deliver": deliver, "latency": latency}
EXPECTED = {
    "deliver": Expected(24, per_round=16, sides=3),
    "latency": Expected(12, per_round=1, sides=1),
}

if __name__ == "__main__":
    sys.exit(run("bench.delivery", SCENARIOS))
