"""`python -m scripts.audit` fails on a known vulnerability and on nothing else."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.support.ports import free_port
from tests.support.waiting import limit

ROOT = Path(__file__).parents[2]


@contextmanager
def advisory_source(answer: Any) -> Iterator[str]:
    """Says `answer(queries)`, as JSON where it is no bytes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            said = answer(asked)
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def audit(url: str) -> tuple[int, str]:
    result = subprocess.run(
        [sys.executable, "-m", "scripts.audit"],
        cwd=ROOT,
        env={**os.environ, "AUDIT_URL": url, "AUDIT_SECONDS": "2"},
        capture_output=True,
        text=True,
        check=False,
        timeout=limit(120),
    )
    assert result.stderr == ""
    return result.returncode, result.stdout


def test_a_known_vulnerability_fails_and_is_named() -> None:
    def one_is_bad(asked: list[Any]) -> Any:
        return {
            "results": [
                {"vulns": [{"id": "X-1"}]} if q["package"]["name"] == "msgspec" else {} for q in asked
            ]
        }

    with advisory_source(one_is_bad) as url:
        code, said = audit(url)
    assert code == 1
    assert "msgspec==" in said
    assert "X-1" in said


def test_a_search_without_results_says_how_much_was_scanned() -> None:
    asked_for: list[str] = []

    def none(asked: list[Any]) -> Any:
        asked_for.extend(q["package"]["name"] for q in asked)
        return {"results": [{} for _ in asked]}

    with advisory_source(none) as url:
        code, said = audit(url)
    assert (code, "none with a known vulnerability" in said) == (0, True)
    assert {"asyncpg", "msgspec", "cryptography", "pytest"} <= set(asked_for)


@pytest.mark.parametrize("said", [b"nonsense", b"[]", b'{"results": []}', b'{"results": 5}'])
def test_a_malformed_answer_does_not_raise(said: bytes) -> None:
    with advisory_source(lambda _: said) as url:
        code, told = audit(url)
    assert (code, told.startswith("audit: skipped")) == (0, True)


def test_an_unreachable_source_is_a_one_line_message() -> None:
    code, told = audit(f"http://127.0.0.1:{free_port()}/")
    assert (code, told.count("\n"), told.startswith("audit: skipped")) == (0, 1, True)


def test_an_endless_source_is_abandoned() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        code, told = audit(f"http://127.0.0.1:{silent.getsockname()[1]}/")
    assert (code, told.startswith("audit: skipped")) == (0, True)
