"""The load generator: wrk, one thread, and a fixed number of connections that each wait for their answer."""

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.processes import find_program
from bench.scenario import Request

CONNECTIONS = 32
_SCRIPT = Path(__file__).with_name("rotate.lua")
_MARK = "measured "
_SEPARATOR = b"\0"  # occurs in no request


class BrokenRunError(Exception):
    """Not every answer was what it should be: such a run measures nothing."""


class Sample(msgspec.Struct, frozen=True):
    """What wrk saw; latencies in microseconds."""

    requests: int
    microseconds: int
    refused: int
    broken: int
    p50: int
    p95: int
    p99: int

    @property
    def per_second(self) -> float:
        return self.requests * 1e6 / self.microseconds


def write_requests(requests: Sequence[Request], file: Path) -> None:
    file.write_bytes(_SEPARATOR.join(request.raw() for request in requests))


def run_wrk(port: int, requests_file: Path, seconds: float, connections: int = CONNECTIONS) -> Sample:
    # Begun anywhere in the rotation, so that the keys at its beginning aren't used more than others.
    begin = random.randrange(1_000_000)
    command = [find_program("wrk"), "--threads", "1", "--connections", str(connections)]
    # An answer that is late is slow, not wrong.
    command += ["--duration", f"{seconds}s", "--timeout", "10s", "--script", str(_SCRIPT)]
    command += [f"http://127.0.0.1:{port}", "--", str(requests_file), str(begin)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = next((line for line in output.splitlines() if line.startswith(_MARK)), None)
    if line is None:
        raise BrokenRunError(f"wrk measured nothing: {output.strip()}")
    sample = msgspec.json.decode(line.removeprefix(_MARK), type=Sample)
    if sample.refused or sample.broken or not sample.requests:
        raise BrokenRunError(
            f"{sample.refused} of {sample.requests} answers were not 2xx, {sample.broken} connections broke"
        )
    return sample
