"""One line for each request: the path of those that go nowhere, and none for probes unless they are asked for."""

import asyncio
import io
import json

import pytest
from tests.support.organizations import Client, Organization
from tests.support.processes import StewardProcess
from tests.support.service import Service
from tests.support.waiting import wait_for

from steward.kit.http.access_log import shown_path
from steward.kit.runtime.log import Level, RequestLines


def _lines(service: Service) -> dict[str, dict]:
    """Of all requests so far, by their identifiers."""
    lines = [json.loads(line) for line in service.api.said.splitlines()]
    return {line["request"]: line for line in lines if line["event"] == "request"}


def test_a_request_without_a_route_is_logged_with_its_path(
    service: Service, organization: Organization
) -> None:
    api = Client(organization.base_url)
    paths = {
        "/organisations/org_1/work-orders?key=secret": "/organisations/org_1/work-orders",
        "/app/nowhere": "/app/nowhere",
        "/%1b%5b31m": "/%1B%5B31m",
    }
    asked = {path: api.get(path).headers["x-request-id"] for path in paths}
    known = organization.api.get(f"{organization.path}/work-orders").headers["x-request-id"]
    probes = [api.get(f"/health/{name}").headers["x-request-id"] for name in ("live", "ready")]
    last = api.get("/last").headers["x-request-id"]
    lines = wait_for("the last line", lambda: found if last in (found := _lines(service)) else None)
    assert {path: lines[id]["path"] for path, id in asked.items()} == paths
    assert {lines[id]["route"] for id in asked.values()} == {"none"}
    assert "path" not in lines[known]
    assert not set(probes) & lines.keys()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/a/b", "/a/b"),
        ("/svc_live_" + "x" * 32, "/svc_live..."),
        ("/a\nb/\x1b[31m", "/a%0Ab/%1B%5B31m"),
        ("/" + "a/" * 200, ("/" + "a/" * 200)[:200]),
    ],
)
def test_a_path_is_bounded_plain_and_without_secrets(path: str, shown: str) -> None:
    assert shown_path(path) == shown


@pytest.mark.parametrize(
    ("least", "written"), [("debug", ["debug", "info"]), ("info", ["info"]), ("warning", [])]
)
def test_lines_below_the_level_are_dropped(least: Level, written: list[str]) -> None:
    async def main() -> bytes:
        sink, lines = io.BytesIO(), RequestLines()
        lines.set_stream(sink, least)
        for level in ("debug", "info"):
            lines.write({"event": "request"}, level=level)
        lines.flush()
        return sink.getvalue()

    assert [json.loads(line)["level"] for line in asyncio.run(main()).splitlines()] == written


def test_processes_say_that_they_are_ready_and_obey_no_color(service: Service) -> None:
    said = [json.loads(line) for line in service.api.said.splitlines()]
    assert [line["address"] for line in said if line["event"] == "api ready"] == [service.base_url]
    log = service.directory / "plain.log"
    worker = StewardProcess(
        log,
        "worker",
        STEWARD_DATABASE_URL=service.database_url,
        # As the service's own worker has it: a shorter one would bring a check into later tests.
        STEWARD_CONNECTIVITY_CHECK_SECONDS="3600",
        STEWARD_LOG_FORMAT="console",
        NO_COLOR="1",
    )
    try:
        wait_for("the line of the worker", lambda: "worker ready" in worker.said)
    finally:
        assert worker.stop() == 0
    assert "\x1b" not in worker.said
