"""Whoever holds the event loop is named: a route, a job, or whatever else it was."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs
from tests.support.app_transport import AppTransport

from steward.kit.db.cursors import Cursors
from steward.kit.db.idempotency import Idempotency
from steward.kit.http.app import Api
from steward.kit.http.cors import Cors
from steward.kit.http.request import Request
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.http.router import Router
from steward.kit.runtime.jobs import Job, run_jobs
from steward.kit.runtime.loop_watch import timed, watched_loop
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption

# Long enough for the thread to get a look at it on a busy machine.
HOLD_SECONDS = 0.4


class OpenGate:
    async def admit(self, request: Request, route: Route, organization: str) -> Caller:
        raise NotImplementedError

    def on_request(self, request: Request) -> None: ...

    def on_response(self, request: Request, status: int) -> None: ...


def hold_the_loop(seconds: float = HOLD_SECONDS) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


async def slow(call: Call[NoBody, NoQuery]) -> Response:
    await asyncio.sleep(0)
    hold_the_loop()
    return plain({"secret": call.params["word"]})


async def quick(_call: Call[NoBody, NoQuery]) -> Response:
    return plain({})


def _route(path: str, handler: Any) -> Route:
    return Route(
        method="GET",
        path=path,
        handler=handler,
        tag="Test",
        summary="Test",
        operation_id="test",
        permission=None,
    )


def _app() -> Api:
    encryption = Encryption(bytes(32))
    return Api(
        Router([_route("/slow/{word}", slow), _route("/quick", quick)]),
        gate=OpenGate(),
        db=None,  # type: ignore[arg-type]
        replicas=None,  # type: ignore[arg-type]
        cursors=Cursors(encryption),
        idempotency=Idempotency(encryption),
        constraints={},
        trusted_proxies=(),
        cors=Cors(()),
    )


def _blocked(logs: Any) -> list[dict[str, Any]]:
    return [line for line in logs if line["event"] == "event loop blocked"]


def _count(name: str) -> float:
    return REGISTRY.get_sample_value("steward_loop_blocked_seconds_count", {"name": name}) or 0


async def test_a_handler_that_holds_the_loop_is_logged_with_its_route() -> None:
    name = "GET /slow/{word}"
    before = _count(name)
    with capture_logs() as logs, watched_loop():
        async with httpx.AsyncClient(transport=AppTransport(_app()), base_url="http://test") as client:
            assert (await client.get("/slow/open-sesame")).status_code == 200
            assert (await client.get("/quick")).status_code == 200
        await asyncio.sleep(0.15)
    [line] = _blocked(logs)
    assert line["route"] == name
    assert line["log_level"] == "warning"
    assert HOLD_SECONDS * 1000 <= line["ms"] < 60_000
    assert line["cpu_ms"] >= 0
    assert any("hold_the_loop" in place for place in line["at"]), line
    assert "open-sesame" not in str(line)
    assert _count(name) == before + 1


async def test_a_job_that_holds_the_loop_is_logged_with_its_name() -> None:
    stop = asyncio.Event()

    async def work() -> None:
        hold_the_loop()
        stop.set()

    with capture_logs() as logs, watched_loop():
        await run_jobs([Job("sort the cellar", 1, work)], stop, grace_seconds=1)
        await asyncio.sleep(0.15)
    [line] = _blocked(logs)
    assert line["job"] == "sort the cellar"


async def test_whatever_else_holds_the_loop_is_logged_with_its_task() -> None:
    async def surprise() -> None:
        hold_the_loop()

    with capture_logs() as logs, watched_loop():
        # The first beats tell the watch that the loop is well.
        await asyncio.sleep(0.15)
        await asyncio.create_task(surprise())
        await asyncio.sleep(0.15)
    [line] = _blocked(logs)
    assert line["task"].endswith("surprise"), line
    assert any("hold_the_loop" in place for place in line["at"]), line


@pytest.mark.parametrize("ends", ["value", "error", "cancelled"])
async def test_timing_changes_nothing(ends: str) -> None:
    async def work() -> str:
        await asyncio.sleep(0.001)
        if ends == "error":
            raise LookupError("as it was")
        if ends == "cancelled":
            await asyncio.sleep(60)
        return "done"

    name: Callable[[], str] = lambda: "work"  # noqa: E731

    async def whole() -> str:
        return await timed(work(), "task", name)

    task = asyncio.create_task(whole())
    if ends == "cancelled":
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    elif ends == "error":
        with pytest.raises(LookupError, match="as it was"):
            await task
    else:
        assert await task == "done"
