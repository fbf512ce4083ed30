"""Every command of image, compose file, manifests and units (docs/operate/install.md), run outside a container over a real database: each starts,
is found healthy by its own check, and stops when it is asked to."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest
from tests.support.deploy_files import ROOT, Command, commands, healthcheck, manifests, our_services
from tests.support.launching import remove_cluster
from tests.support.ports import closed_port, free_port
from tests.support.processes import StewardProcess
from tests.support.waiting import limit, wait_for

pytestmark = pytest.mark.long

SCRIPT = "/opt/steward/healthcheck.py"
# What only a deployment can know, or what only a container has.
ADDRESSES = ("STEWARD_HOST", "STEWARD_DATA_DIR", "STEWARD_DATABASE_URL", "STEWARD_METRICS_ADDRESS")


def _distinct(verb: str) -> list[Command]:
    """Each once, however many containers run it with the same variables."""
    found = {
        (command.arguments, frozenset(command.environment.items())): command
        for command in commands()
        if command.arguments[0] == verb
    }
    assert found
    return list(found.values())


class Started(StewardProcess):
    """With the variables that its file gives it, save for addresses and places."""

    def __init__(self, folder: Path, command: Command, database_url: str) -> None:
        self.port, self.metrics_port = free_port(), free_port()
        (folder / "data").mkdir(parents=True)
        given = {name: value for name, value in command.environment.items() if name.startswith("STEWARD_")}
        settings = {
            **{name: value for name, value in given.items() if name not in ADDRESSES},
            "STEWARD_DATA_DIR": str(folder / "data"),
            "STEWARD_METRICS_ADDRESS": f"127.0.0.1:{self.metrics_port}",
            "STEWARD_PORT": str(self.port),
        }
        if database_url:
            settings["STEWARD_DATABASE_URL"] = database_url
        # An option wins over the variable, and its port may be taken.
        arguments = [str(self.port) if word == "8000" else word for word in command.arguments]
        self.environment = settings
        super().__init__(folder / "log", *arguments, **settings)

    def is_healthy(self, check: list[str]) -> bool:
        """By the command that an engine would run in the container."""
        assert self.process.poll() is None, self.said
        program, script, *arguments = check
        assert (program, script) == ("python", SCRIPT)
        return (
            subprocess.run(
                [sys.executable, ROOT / "deploy/container/healthcheck.py", *arguments],
                env={**os.environ, **self.environment},
                capture_output=True,
                check=False,
            ).returncode
            == 0
        )


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def _start(stack: ExitStack, folder: Path, verb: str, database_url: str) -> list[Started]:
    started = []
    for number, command in enumerate(_distinct(verb)):
        process = Started(folder / f"{verb}-{number}", command, database_url)
        stack.callback(process.kill)
        started.append(process)
    return started


def test_the_pieces_start_and_stop(stack: ExitStack, empty_url: str, tmp_path: Path) -> None:
    for migrating in _start(stack, tmp_path, "migrate", empty_url):
        assert migrating.process.wait(limit(120)) == 0, migrating.said
    workers = _start(stack, tmp_path, "worker", empty_url)
    apis = _start(stack, tmp_path, "api", empty_url)
    check = our_services()["worker"]["healthcheck"]["test"][1:]
    for worker in workers:
        wait_for("a healthy worker", partial(worker.is_healthy, check), 120)
    for api in apis:
        wait_for("a healthy API", partial(api.is_healthy, healthcheck()), 120)
        wait_for("readiness", partial(_is_ready, api), 60)
        assert [path for path in _probed("api") if _status(api, path) != 200] == []
    assert our_services()["api-1"]["healthcheck"]["test"][1:] == healthcheck()
    for process in (*apis, *workers):
        process.process.send_signal(signal.SIGTERM)
    for process in (*apis, *workers):
        assert process.stop() == 0, process.said


def test_everything_at_once_starts_and_stops(stack: ExitStack, tmp_path: Path) -> None:
    """`up` without a database: what `docker run` and steward.service do."""
    image, *_ = _distinct("up")
    stack.callback(remove_cluster, tmp_path / "up/data")
    up = Started(tmp_path / "up", image, "")
    stack.callback(up.kill)
    wait_for("a healthy service", partial(up.is_healthy, healthcheck()), 120)
    wait_for("readiness", partial(_is_ready, up), 60)
    assert up.stop() == 0, up.said
    assert _status(up, "/health/live") is None


def test_a_check_fails_without_an_answer(tmp_path: Path) -> None:
    for arguments in ([], ["--metrics"]):
        with closed_port() as port:
            asked = subprocess.run(
                [sys.executable, ROOT / "deploy/container/healthcheck.py", *arguments],
                env={"STEWARD_PORT": str(port), "STEWARD_METRICS_ADDRESS": f"0.0.0.0:{port}"},
                capture_output=True,
                text=True,
                check=False,
            )
        assert (asked.returncode, "no answer of 127.0.0.1" in asked.stderr) == (1, True)


def _probed(name: str) -> set[str]:
    """The paths that Kubernetes asks a container for."""
    containers = [
        container
        for one in manifests()
        if one["kind"] == "Deployment"
        for container in one["spec"]["template"]["spec"]["containers"]
    ]
    [container] = [container for container in containers if container["name"] == name]
    return {probe["httpGet"]["path"] for key, probe in container.items() if key.endswith("Probe")}


def _status(process: Started, path: str) -> int | None:
    try:
        return httpx.get(f"http://127.0.0.1:{process.port}{path}", timeout=limit(60)).status_code
    except httpx.TransportError:
        return None


def _is_ready(process: Started) -> bool:
    return _status(process, "/health/ready") == 200
