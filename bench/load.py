"""The load generators: wrk with one thread and connections that each wait for their answer, and a single caller."""

import http.client
import random
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.processes import find_program

CONNECTIONS = 32
_SCRIPT = Path(__file__).with_name("rotate.lua")
_MARK = "measured "
_SEPARATOR = b"\0"  # occurs in no request


class BrokenRunError(Exception):
    """Not every answer was what it should be: such a run measures nothing."""


class Request(NamedTuple):
    """One request of the rotation; all sides get the very same bytes, the key included."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    def raw(self) -> bytes:
        headers = {"Host": "127.0.0.1", "User-Agent": "bench", **self.headers}
        if self.body:
            headers = {"Content-Type": "application/json", "Content-Length": str(len(self.body)), **headers}
        lines = [f"{self.method} {self.path} HTTP/1.1", *(": ".join(header) for header in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


class Sample(msgspec.Struct, frozen=True):
    """What wrk saw; latencies in microseconds."""

    requests: int
    microseconds: int
    refused: int = 0
    broken: int = 0
    p50: int = 0
    p95: int = 0
    p99: int = 0

    @property
    def per_second(self) -> float:
        return self.requests * 1e6 / self.microseconds


def shares(seconds: Sequence[float]) -> dict[str, int]:
    """The latencies of a sample."""
    ordered = sorted(seconds)
    return {f"p{share}": int(ordered[len(ordered) * share // 100] * 1e6) for share in (50, 95, 99)}


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


class Answer(NamedTuple):
    status: int
    body: bytes
    milliseconds: float


class Caller:
    """Asks for one thing after the other, over one connection."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Content-Type": "application/json", **headers}

    def ask(self, method: str, path: str, body: bytes | None = None, key: str | None = None) -> Answer:
        """With another key than the caller's where there is one."""
        headers = self._headers if key is None else {**self._headers, "X-API-Key": key}
        began = time.perf_counter()
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        answer = Answer(response.status, response.read(), (time.perf_counter() - began) * 1000)
        if answer.status >= 300:
            raise BrokenRunError(f"{method} {path}: {answer.status} {answer.body[:300]!r}")
        return answer

    def make(self, path: str, body: Any = None) -> Any:
        """A record, as people make it over the API."""
        answer = self.ask("POST", path, None if body is None else msgspec.json.encode(body))
        return msgspec.json.decode(answer.body)["data"]
