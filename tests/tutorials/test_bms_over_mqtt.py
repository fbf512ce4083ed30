"""docs/howto/bms-over-mqtt.md as it stands there: its broker, its gateway, and a worker with the settings of the page."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.docs.pages import Block, Page
from tests.support.answers import data_of
from tests.support.broker import require_mosquitto
from tests.support.organizations import Organization
from tests.support.ports import free_port
from tests.support.processes import StewardProcess
from tests.support.service import Service
from tests.support.waiting import limit, wait_for

pytestmark = pytest.mark.long

PAGE = Page.read("docs/howto/bms-over-mqtt.md")
_TAKEN = "readings over MQTT are taken"


class Walk:
    """A shell in a folder with the files of the page, whose port is a free one."""

    def __init__(self, folder: Path, organization: Organization) -> None:
        self._folder = folder
        self._port = str(free_port())
        self._environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin",
            "STEWARD_URL": organization.base_url,
            "STEWARD_ORG": organization.id,
            "STEWARD_API_KEY": organization.secret,
        }
        self._sessions: list[int] = []
        for block in PAGE.blocks:
            if block.title:
                (folder / block.title).write_text(self._own(block.code), encoding="utf-8")
        # Mosquitto drops what root may do, and then reads none of root's files.
        with (folder / "mosquitto.conf").open("a", encoding="utf-8") as file:
            file.write("user root\nlog_type all\nlog_dest file mosquitto.log\n")

    def run(self, blocks: list[Block]) -> None:
        script = "set -euo pipefail\n" + "".join(block.code for block in blocks)
        with (self._folder / "said").open("ab") as sink:
            shell = subprocess.Popen(
                ["bash", "-c", f"{script}\necho the end"],
                cwd=self._folder,
                env=self._environment,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
            self._sessions.append(shell.pid)
            try:
                code = shell.wait(limit(180))
            except subprocess.TimeoutExpired:
                code = -1
        assert code == 0, self.said

    @property
    def said(self) -> str:
        return "".join(file.read_text() for file in self._folder.glob("*") if file.name in _LOGS)

    def broker_url(self) -> str:
        (setting,) = [block.code for block in PAGE.blocks if block.language == "ini"]
        return self._own(setting).strip().removeprefix("STEWARD_MQTT_URL=")

    def broker_listens(self) -> bool:
        log = self._folder / "mosquitto.log"
        return log.exists() and re.search(r"mosquitto version \S+ running", log.read_text()) is not None

    def end(self) -> None:
        """What the page has started in the background, too."""
        left = [one for one in psutil.process_iter() if _session(one) in self._sessions]
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.terminate()
        psutil.wait_procs(left, timeout=limit(60))

    def _own(self, text: str) -> str:
        assert "1883" in text
        return text.replace("1883", self._port)


_LOGS = ("said", "mosquitto.log")


def _session(process: psutil.Process) -> int | None:
    try:
        return os.getsid(process.pid)
    except ProcessLookupError:
        return None


@pytest.fixture
def walk(tmp_path: Path, organization: Organization) -> Iterator[Walk]:
    require_mosquitto()
    walk = Walk(tmp_path, organization)
    yield walk
    walk.end()


def test_points_are_read_and_a_set_point_is_written(
    walk: Walk, service: Service, organization: Organization
) -> None:
    broker, *others = [block for block in PAGE.blocks if block.language == "sh"]
    assert all(block.note and block.note.kind == "run" for block in (broker, *others))
    walk.run([broker])
    wait_for("the broker", walk.broker_listens)
    worker = StewardProcess(
        service.directory / "bms-worker.log",
        "worker",
        STEWARD_DATABASE_URL=service.database_url,
        STEWARD_MQTT_URL=walk.broker_url(),
    )
    try:
        wait_for("the subscription", lambda: _TAKEN in worker.said)
        walk.run(others)
        path = f"{organization.path}/assets/by-external-id/AHU-01"
        wait_for(
            "the new set point",
            lambda: data_of(organization.api.get(path))["lastTelemetry"]["SupplyTemperature"] == 19.5,
        )
    finally:
        worker.stop()
