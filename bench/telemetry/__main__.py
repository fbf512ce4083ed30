"""`python -m bench.telemetry [scenario …] [--profile]`; bench/README.md explains the figures."""

import sys

from bench.command_line import run
from bench.progress import Expected
from bench.telemetry.fleet import ASSETS_COUNT
from bench.telemetry.running import stage
from bench.telemetry.scenarios import telemetry_batch, telemetry_mqtt, telemetry_single

SCENARIOS = {
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

if __name__ == "__main__":
    sys.exit(
        run(
            "bench.telemetry",
            SCENARIOS,
            lambda options: stage(options.devices),
            devices={"type": int, "default": ASSETS_COUNT},
            api_processes={"type": int, "default": 2, "help": "that share the port: one for each core here"},
            profile={"action": "store_true", "help": "record our API process with py-spy, too"},
        )
    )
