"""`steward listen`, as somebody who writes a receiver uses it."""

import asyncio
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from tests.support.organizations import Organization
from tests.support.ports import free_port
from tests.support.processes import StewardProcess, environment
from tests.support.waiting import limit, wait_for

from steward.webhooks import verify


class Receiver:
    """A small program on this machine that keeps what it is sent."""

    def __init__(self) -> None:
        self.got: list[tuple[bytes, dict[str, str]]] = []
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/hooks?x=1"
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._ready.wait(limit(60))

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_post("/hooks", self._take)
        runner = web.AppRunner(app)
        self._loop.run_until_complete(runner.setup())
        self._loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", self.port).start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _take(self, request: web.Request) -> web.Response:
        self.got.append((await request.read(), dict(request.headers)))
        return web.Response(status=204)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    running = Receiver()
    yield running
    running.stop()


class Listener:
    def __init__(self, log: Path, organization: Organization, *more: str, key: str | None = None) -> None:
        self.piece = StewardProcess(
            log,
            "listen",
            "--url",
            organization.base_url,
            "--organization",
            organization.id,
            "--api-key",
            key or organization.secret,
            *more,
        )
        wait_for("the beginning of listening", lambda: "Listening" in self.piece.said)

    def ids(self) -> list[str]:
        return re.findall(r"evt_\w+", self.piece.said)

    def end(self) -> int:
        self.piece.process.send_signal(signal.SIGINT)
        return self.piece.process.wait(limit(60))


@pytest.fixture
def listening(tmp_path: Path, organization: Organization) -> Iterator:
    started: list[Listener] = []

    def listen(*more: str) -> Listener:
        started.append(Listener(tmp_path / f"listen-{len(started)}.log", organization, *more))
        return started[-1]

    yield listen
    for listener in started:
        listener.piece.stop()


def test_events_are_shown_once_as_they_happen_and_ctrl_c_ends_it_cleanly(
    organization: Organization, listening
) -> None:
    organization.work_orders.create("Before")
    listener = listening()
    organization.work_orders.create("One")
    wait_for("the first event", lambda: len(listener.ids()) == 1)
    organization.work_orders.move(organization.work_orders.create("Two"), "start")
    wait_for("the other events", lambda: len(listener.ids()) == 3)
    assert listener.ids() == [event["id"] for event in organization.events()[1:]]
    lines = [line for line in listener.piece.said.splitlines() if "evt_" in line]
    assert [line.split()[2] for line in lines] == [event["type"] for event in organization.events()[1:]]
    assert listener.end() == 0
    assert "Traceback" not in listener.piece.said
    assert len(listener.ids()) == 3


def test_forwarded_events_equal_deliveries(organization: Organization, listening, receiver: Receiver) -> None:
    listener = listening("--forward-to", receiver.url, "--types", "workorder.status.changed, asset.*")
    organization.work_orders.move(organization.work_orders.create(), "start")
    wait_for("the forwarded event", lambda: receiver.got)
    ((body, headers),) = receiver.got
    secret = re.search(r"whsec_\S+", listener.piece.said)
    assert secret is not None
    event = verify(body, headers, secret[0])
    assert event["type"] == "workorder.status.changed"
    ((stored,),) = organization.sql("SELECT body FROM events WHERE id = $1", event["id"])
    assert body == stored
    assert "X-API-Key" not in headers
    assert headers["Content-Type"] == "application/json"
    wait_for("the line about it", lambda: "→ 204" in listener.piece.said)
    assert listener.ids() == [event["id"]]


def test_a_missing_receiver_is_reported_without_ending_forwarding(
    organization: Organization, listening
) -> None:
    listener = listening("--forward-to", f"http://127.0.0.1:{free_port()}/")
    organization.work_orders.create("One")
    wait_for("the first event", lambda: "→ " in listener.piece.said)
    organization.work_orders.create("Two")
    wait_for("the second event", lambda: len(listener.ids()) == 2)


def _ended(*arguments: str, **callers: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steward", "listen", *arguments],
        env=environment(**callers),
        capture_output=True,
        text=True,
        timeout=limit(120),
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_events_are_printed_as_they_are_one_a_line(organization: Organization, tmp_path: Path) -> None:
    """For programs, and with the variables of all examples instead of options."""
    output, errors = tmp_path / "output.txt", tmp_path / "errors.txt"
    with output.open("wb") as out, errors.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", "steward", "listen", "--json"],
            env=environment(
                STEWARD_URL=organization.base_url,
                STEWARD_ORG=organization.id,
                STEWARD_API_KEY=organization.secret,
            ),
            stdout=out,
            stderr=sink,
        )
    try:
        wait_for("the beginning of listening", lambda: "Listening" in errors.read_text(encoding="utf-8"))
        organization.work_orders.create("One")
        organization.work_orders.create("Two")
        wait_for("two lines", lambda: output.read_bytes().count(b"\n") == 2)
        process.send_signal(signal.SIGINT)
        assert process.wait(limit(60)) == 0
    finally:
        process.kill()
        process.wait()
    stored = organization.sql(
        "SELECT body FROM events WHERE organization_id = $1 ORDER BY id", organization.id
    )
    assert output.read_bytes().splitlines() == [body for (body,) in stored[-2:]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"STEWARD_API_KEY": "svc_live_" + "x" * 32}, ["401: Invalid API key"]),
        ({"types": "workorder.*,nothing.*,asset.gone"}, ["422: type: “nothing.*” is not an event type; valid are ", "“asset.gone” is not"]),
    ],
    ids=str,
)  # fmt: skip
def test_refused_options_end_with_one_line(
    organization: Organization, given: dict[str, str], words: list[str]
) -> None:
    types = given.pop("types", "")
    callers = {
        "STEWARD_URL": organization.base_url,
        "STEWARD_ORG": organization.id,
        "STEWARD_API_KEY": organization.secret,
        **given,
    }
    ended = _ended("--types", types, **callers)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), ended.stderr
    assert all(each in ended.stderr for each in words), ended.stderr


def test_an_invalid_address_is_refused() -> None:
    ended = _ended("--url", "example.com", "--organization", "org_1")
    assert ended.returncode == 2
    assert "must begin with http" in ended.stderr
