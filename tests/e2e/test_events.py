"""From a change to a receiver, with everything started by one command."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.e2e.test_up import Up
from tests.support.answers import data_of
from tests.support.launching import remove_cluster
from tests.support.waiting import limit, wait_for

from steward.webhooks import verify
from steward_client.webhooks import verify as verify_as_a_client

pytestmark = pytest.mark.long


class Receiver(ThreadingHTTPServer):
    """Keeps what is posted to it."""

    def __init__(self) -> None:
        self.taken: list[tuple[bytes, dict[str, str]]] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def of_type(self, name: str) -> list[tuple[bytes, dict[str, str]]]:
        return [(body, headers) for body, headers in self.taken if json.loads(body)["type"] == name]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Receiver)
        self.server.taken.append((body, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_words: Any) -> None:
        """The test says what came."""


def require_trust(body: bytes, headers: dict[str, str], secret: str) -> None:
    """By the service's own verifier and by the client's, which takes either family of headers alone."""
    event = verify(body, headers, secret)
    standard = {name: value for name, value in headers.items() if name.startswith("webhook-")}
    ours = {name: value for name, value in headers.items() if name not in standard}
    assert verify_as_a_client(body, ours, secret) == verify_as_a_client(body, standard, secret) == event


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    running = Up(tmp_path, STEWARD_WEBHOOK_ALLOW_LOCAL="on", STEWARD_CONNECTIVITY_CHECK_SECONDS="1")
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop()
        remove_cluster(tmp_path / "data")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
        receiver.shutdown()


@pytest.fixture
def api(up: Up) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=up.base_url, headers={"X-API-Key": up.api_key}, timeout=limit(60)) as client:
        yield client


def test_tests_readings_alerts_and_connectivity_arrive_signed(
    up: Up, api: httpx.Client, receiver: Receiver
) -> None:
    organization = f"/organizations/{up.organization}"
    made = data_of(api.post(f"/v2{organization}/webhooks", json={"url": receiver.url, "events": ["asset.*"]}))
    assert api.post(f"/v2{organization}/webhooks/{made['webhookId']}/test").status_code == 202
    [(body, headers)] = wait_for("the test event", lambda: receiver.of_type("webhook.test"))
    require_trust(body, headers, made["signingSecret"])
    assert json.loads(body)["isTest"] is True

    kind = api.post(
        f"/v2{organization}/asset-types", json={"name": "Oven", "isIotDevice": True, "keepAlive": 3}
    )
    oven = api.post(f"{organization}/assets", json={"name": "Oven 1", "assetTypeId": data_of(kind)["id"]})
    asset_id = data_of(oven)["id"]
    rule = {
        "name": "Hot",
        "assetId": asset_id,
        "severity": "Critical",
        "conditions": [{"key": "Temperature", "operator": "gt", "value": 200}],
    }
    assert api.post(f"{organization}/alert-rules", json=rule).status_code == 201
    reading = {"values": {"Temperature": 250}, "timestamp": int(time.time())}
    assert api.post(f"{organization}/assets/{asset_id}/telemetry", json=reading).status_code == 200
    [(body, headers)] = wait_for("the reading", lambda: receiver.of_type("asset.telemetry.updated"))
    require_trust(body, headers, made["signingSecret"])
    assert json.loads(body)["data"]["object"]["lastTelemetry"] == {"Temperature": 250}

    def changes() -> list[dict[str, Any]]:
        told = [json.loads(body)["data"] for body, _ in receiver.of_type("asset.status.changed")]
        return [data["previousAttributes"] for data in told if data["object"]["id"] == asset_id]

    # Judged for the first time, then found to be too hot; first online, then silent.
    wait_for("all changes", lambda: len(changes()) >= 4)
    expected = [{"status": "Online"}, {"status": "Normal"}, {}, {"connectionStatus": True}]
    assert sorted(map(str, changes())) == sorted(map(str, expected))
