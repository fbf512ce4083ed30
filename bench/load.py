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


class NoLoadGeneratorError(Exception):
    """wrk is missing and we can't install it."""


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


def find_wrk() -> str:
    found = find_program("wrk", "wrk")
    if found is None:
        raise NoLoadGeneratorError(
            "wrk, the load generator, is missing: install the package `wrk`, for instance apt-get install wrk"
        )
    return found


def write_requests(requests: Sequence[Request], file: Path) -> None:
    file.write_bytes(_SEPARATOR.join(request.raw() for request in requests))


def run_wrk(wrk: str, port: int, requests_file: Path, seconds: int) -> Sample:
    # Begun anywhere in the rotation, so that the keys at its beginning aren't used more than others.
    begin = random.randrange(1_000_000)
    command = [wrk, "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s"]
    # An answer that is late is slow, not wrong.
    command += ["--timeout", "10s"]
    command += ["--script", str(_SCRIPT), f"http://127.0.0.1:{port}", "--", str(requests_file), str(begin)]
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
