"""The log names what blocks the event loop: a route, a job, or whatever else it was."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs
from tests.support.app_transport import AppTransport
from tests.support.waiting import wait_for, wait_for_async

from steward.kit.db.cursors import Cursors
from steward.kit.db.idempotency import Idempotency
from steward.kit.http.app import Api
from steward.kit.http.cors import Cors
from steward.kit.http.request import Request
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.http.router import Router
from steward.kit.jobs.runner import Job, run_jobs
from steward.kit.runtime import loop_watch
from steward.kit.runtime.loop_watch import timed, watched_loop
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption

HOLD_SECONDS = 0.4


class HeldLoop:
    """A watch with a clock of its own, which goes on only while the loop is held: so nothing but that is late."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.perf_counter()
        self._watch = loop_watch._Watch()
        monkeypatch.setattr(loop_watch, "_watch", self._watch)
        monkeypatch.setattr(loop_watch, "perf_counter", lambda: self.now)

    def hold(self) -> None:
        """Until the thread has seen it."""
        self.now += HOLD_SECONDS
        wait_for("a look at what holds the loop", lambda: self._watch.sampled == self.now)

    async def go_on(self) -> None:
        """Until the loop has beaten again, by when all is said."""
        await wait_for_async("a beat of the loop", lambda: self._watch.beat == self.now)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> HeldLoop:
    return HeldLoop(monkeypatch)


class OpenGate:
    async def admit(self, request: Request, route: Route, organization: str) -> Caller:
        raise NotImplementedError

    async def readmit(self, request: Request, route: Route, organization: str) -> Caller:
        raise NotImplementedError

    def on_request(self, request: Request) -> None: ...

    def on_response(self, request: Request, status: int) -> None: ...


async def quick(_call: Call[NoBody, NoQuery]) -> Response:
    return plain({})


def _route(path: str, handler: Any) -> Route:
    return Route(
        method="GET",
        path=path,
        handler=handler,
        tag="Test",
        summary="Test",
        permission=None,
    )


def _app(loop: HeldLoop) -> Api:
    async def slow(call: Call[NoBody, NoQuery]) -> Response:
        await asyncio.sleep(0)
        loop.hold()
        return plain({"secret": call.params["word"]})

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


async def test_a_handler_that_holds_the_loop_is_logged_with_its_route(loop: HeldLoop) -> None:
    name = "GET /slow/{word}"
    before = _count(name)
    with capture_logs() as logs, watched_loop():
        async with httpx.AsyncClient(transport=AppTransport(_app(loop)), base_url="http://test") as client:
            assert (await client.get("/slow/open-sesame")).status_code == 200
            assert (await client.get("/quick")).status_code == 200
        await loop.go_on()
    [line] = _blocked(logs)
    assert line["route"] == name
    assert line["log_level"] == "warning"
    assert line["ms"] == HOLD_SECONDS * 1000
    assert line["cpu_ms"] >= 0
    assert any("HeldLoop.hold" in place for place in line["at"]), line
    assert "open-sesame" not in str(line)
    assert _count(name) == before + 1


async def test_a_job_that_holds_the_loop_is_logged_with_its_name(loop: HeldLoop) -> None:
    stop = asyncio.Event()

    async def work() -> None:
        loop.hold()
        stop.set()

    with capture_logs() as logs, watched_loop():
        await run_jobs([Job("sort the cellar", 1, work)], stop, grace_seconds=1)
        await loop.go_on()
    [line] = _blocked(logs)
    assert line["job"] == "sort the cellar"


async def test_other_tasks_that_block_the_loop_are_logged(loop: HeldLoop) -> None:
    async def surprise() -> None:
        loop.hold()

    with capture_logs() as logs, watched_loop():
        await asyncio.create_task(surprise())
        await loop.go_on()
    [line] = _blocked(logs)
    assert line["task"].endswith("surprise"), line
    assert any("HeldLoop.hold" in place for place in line["at"]), line


@pytest.mark.parametrize("ends", ["value", "error", "cancelled"])
async def test_timing_changes_nothing(ends: str) -> None:
    begun = asyncio.Event()

    async def work() -> str:
        await asyncio.sleep(0.001)
        begun.set()
        if ends == "error":
            raise LookupError("as it was")
        if ends == "cancelled":
            await asyncio.Event().wait()
        return "done"

    name: Callable[[], str] = lambda: "work"  # noqa: E731

    async def whole() -> str:
        return await timed(work(), "task", name)

    task = asyncio.create_task(whole())
    if ends == "cancelled":
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    elif ends == "error":
        with pytest.raises(LookupError, match="as it was"):
            await task
    else:
        assert await task == "done"
