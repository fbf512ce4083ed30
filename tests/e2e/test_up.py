"""`steward up` as an operator sees it: started, used, killed, stopped."""

import contextlib
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from tests.support.answers import data_of
from tests.support.launching import remove_cluster
from tests.support.ports import free_port
from tests.support.processes import StewardProcess, environment
from tests.support.waiting import limit, wait_for

pytestmark = pytest.mark.long
LAST_LINE = "  curl "


class Up(StewardProcess):
    def __init__(self, folder: Path, port: int = 0, **settings: str) -> None:
        # The secret key is the data directory's own here, as in any first start.
        super().__init__(
            folder / "up.log",
            "up",
            "--demo",
            "--data-dir",
            str(folder / "data"),
            "--port",
            str(port),
            # As many as there are cores otherwise, which is another number on each machine.
            **{"STEWARD_SECRET_KEY": "", "STEWARD_API_PROCESSES": "2", **settings},
        )

    def wait_until_ready(self) -> None:
        self.wait_until_says(LAST_LINE)

    @property
    def base_url(self) -> str:
        """With the port that was free; known once it is ready."""
        return re.findall(r"STEWARD_URL=(http://127\.0\.0\.1:\d+)", self.said)[-1]

    @property
    def port(self) -> int:
        return int(self.base_url.rpartition(":")[2])

    @property
    def api_key(self) -> str:
        return re.findall(r"API key: (\S+)", self.said)[-1]

    @property
    def organization(self) -> str:
        return re.findall(r"STEWARD_ORG=(org_\w+)", self.said)[-1]

    def titles(self) -> list[str]:
        answer = httpx.get(
            f"{self.base_url}/organizations/{self.organization}/work-orders",
            headers={"X-API-Key": self.api_key},
            verify=False,
            timeout=limit(60),
        )
        return [order["title"] for order in data_of(answer)]

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    remove_cluster(tmp_path / "data")


@pytest.fixture
def up(folder: Path) -> Iterator[Up]:
    running = Up(folder)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop()


def _named(family: list[psutil.Process], part: str) -> psutil.Process:
    return next(process for process in family if part_of(process) == part)


def part_of(process: psutil.Process) -> str:
    """The last word by which it was started; none of one that has just ended."""
    try:
        return (process.cmdline() or [""])[-1]
    except psutil.NoSuchProcess:
        return ""


def _count(up: Up, part: str) -> int:
    return sum(part_of(process) == part for process in up.family())


def _run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steward", *arguments],
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=limit(60),
        check=False,
    )


def test_the_first_start_creates_everything_and_its_message_is_correct(up: Up, folder: Path) -> None:
    assert "Air handler 3 is noisy" in up.titles()
    assert (folder / "data" / "secret.key").stat().st_mode & 0o777 == 0o600
    assert httpx.get(f"{up.base_url}/app", verify=False, timeout=limit(60)).status_code == 303
    email, password = re.findall(r"Log in as (\S+) with the password (\S+)", up.said)[0]
    answer = httpx.post(
        f"{up.base_url}/authentications/tokens",
        json={"account": email, "password": password},
        verify=False,
        timeout=limit(60),
    )
    assert answer.status_code == 200


def test_sigterm_leaves_no_process_behind(up: Up) -> None:
    family = up.family()
    parts = [part_of(process) for process in family]
    assert (parts.count("api"), parts.count("worker")) == (2, 1)
    assert up.stop() == 0
    assert psutil.wait_procs(family, timeout=limit(60))[1] == []


def test_after_kill_9_of_all_but_the_database_the_next_start_continues(up: Up, folder: Path) -> None:
    before = up.titles()
    family = up.family()
    parts = [_named(family, part) for part in ("api", "worker")]
    up.kill()
    for part in parts:
        # It may have noticed by itself that its supervisor is gone.
        with contextlib.suppress(psutil.NoSuchProcess):
            part.kill()
    again = Up(folder, up.port)
    try:
        again.wait_until_says(LAST_LINE, times=2)
        assert again.titles() == before
    finally:
        assert again.stop() == 0


def test_after_kill_9_of_everything_the_next_start_recovers(up: Up, folder: Path) -> None:
    before = up.titles()
    family = up.family()
    for process in (*family, psutil.Process(up.process.pid)):
        # Some of PostgreSQL's come and go.
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    up.process.wait()
    again = Up(folder, up.port)
    try:
        again.wait_until_says(LAST_LINE, times=2)
        assert again.titles() == before
    finally:
        assert again.stop() == 0


def test_a_process_that_dies_is_started_again(up: Up) -> None:
    api = _named(up.family(), "api")
    api.kill()
    wait_for("a line about it", lambda: re.search(r"api-\d died \(SIGKILL\)", up.said))
    wait_for("another API process", lambda: _count(up, "api") == 2 and _answers(up))
    assert "Air handler 3 is noisy" in up.titles()


def _answers(up: Up) -> bool:
    try:
        return httpx.get(f"{up.base_url}/health/ready", verify=False, timeout=limit(60)).status_code == 200
    except httpx.TransportError:
        return False


def test_an_organization_can_be_made_beside_it(up: Up, folder: Path) -> None:
    made = _run(
        "org",
        "create",
        "Second house",
        "--plan",
        "Professional",
        "--admin-email",
        "grace@example.com",
        "--admin-password",
        "correct horse battery staple",
        "--json",
        "--data-dir",
        str(folder / "data"),
    )
    assert made.returncode == 0, made.stderr
    created = json.loads(made.stdout)
    assert set(created) == {"organizationId", "userId", "apiKey"}
    path = f"{up.base_url}/organizations/{created['organizationId']}"
    headers = {"X-API-Key": created["apiKey"]["secret"]}
    assert (
        data_of(httpx.get(path, headers=headers, verify=False, timeout=limit(60)))["plan"] == "Professional"
    )
    changed = _run(
        "org", "set-plan", created["organizationId"], "Starter", "--data-dir", str(folder / "data")
    )
    assert changed.returncode == 0, changed.stderr
    answer = httpx.get(path, headers=headers, verify=False, timeout=limit(60))
    assert (answer.status_code, answer.json()["message"]) == (
        403,
        "API access requires Professional or Enterprise plan",
    )
    listed = _run("org", "list", "--data-dir", str(folder / "data")).stdout
    assert f"{created['organizationId']}  Starter" in listed


def test_operator_mistakes_are_one_line_and_a_non_zero_exit(up: Up, folder: Path) -> None:
    data = str(folder / "data")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        cases = {
            ("up", "--data-dir", data, "--port", "0"): "is in use by another Steward",
            (
                "up",
                "--data-dir",
                str(folder / "other"),
                "--port",
                port,
            ): f"port {port} on 127.0.0.1 is in use",
            (
                "up",
                "--data-dir",
                str(folder / "third"),
                "--database-url",
                "postgresql://127.0.0.1:1/x",
            ): "the database can't be reached",
            ("api", "--data-dir", str(folder / "fourth")): "no database",
        }
        for arguments, expected in cases.items():
            refused = _run(*arguments)
            assert refused.returncode != 0
            assert expected in refused.stderr
            assert len(refused.stderr.strip().splitlines()) == 1, refused.stderr
    refused = _run("worker", STEWARD_COLOUR="blue")
    assert refused.returncode != 0
    assert "STEWARD_COLOUR is not a setting" in refused.stderr


def test_figures_of_all_processes_are_shown_on_an_address_of_their_own(folder: Path) -> None:
    port = free_port()
    up = Up(folder, STEWARD_METRICS_ADDRESS=f"127.0.0.1:{port}")
    try:
        up.wait_until_ready()
        up.titles()
        route = 'route="GET /organizations/{orgId}/work-orders"'
        asked = {
            f'steward_requests_total{{{route},status="200"}} 1.0',
            f'steward_request_seconds_bucket{{le="+Inf",{route}}} 1.0',
            f"steward_request_seconds_count{{{route}}} 1.0",
        }

        def figures() -> str:
            """Once the request is among them; those of the same moment are counted together, a moment later."""
            shown = httpx.get(f"http://127.0.0.1:{port}/metrics", verify=False, timeout=limit(60)).text
            return shown if asked <= set(shown.splitlines()) else ""

        assert "steward_job_runs_total" in wait_for("the figures of the request", figures)
    finally:
        assert up.stop() == 0
