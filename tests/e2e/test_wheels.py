"""The service's wheel, by itself, in an environment that holds nothing else."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from scripts.vendor import vendor_files
from tests.support.launching import remove_cluster, running, wait_for_output
from tests.support.ports import free_port
from tests.support.processes import environment
from tests.support.waiting import limit, wait_for
from tests.support.wheels import PIP, built_wheel, run

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that got the wheel, with the versions that we lock."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = built_wheel(ROOT, folder)
    versions = folder / "versions.txt"
    pinned = re.findall(
        r"^[\w.-]+==[^\s\\]+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    versions.write_text("\n".join(pinned), encoding="utf-8")
    run(sys.executable, "-m", "venv", folder / "environment")
    programs = folder / "environment" / "bin"
    run(programs / "python", *PIP[1:], "install", "--constraint", versions, wheel)
    return programs


@pytest.fixture
def address(installed: Path, tmp_path: Path) -> Iterator[str]:
    port = free_port()
    log = tmp_path / "up.log"
    words = [str(installed / "steward"), "up", "--data-dir", str(tmp_path / "data"), "--port", str(port)]
    variables = environment(STEWARD_SECRET_KEY="", STEWARD_API_PROCESSES="1")
    try:
        with running(words, log, variables, folder=tmp_path) as process:
            wait_for_output(process, log, "Steward is ready")
            yield f"http://127.0.0.1:{port}"
    finally:
        remove_cluster(tmp_path / "data")


def test_the_wheel_serves_api_and_web_app(address: str) -> None:
    wait_for(
        "a sign of life of the worker",
        lambda: httpx.get(f"{address}/health/ready", timeout=limit(60)).status_code == 200,
    )
    page = httpx.get(f"{address}/app/login", timeout=limit(60)).text
    assert 'name="password"' in page
    files = re.search(r"/static/\w+/", page)
    assert files is not None
    for name in vendor_files():
        if not name.endswith(".txt"):
            assert httpx.get(f"{address}{files[0]}vendor/{name}", timeout=limit(60)).status_code == 200, name
    assert httpx.get(f"{address}/openapi.json", timeout=limit(60)).json()["info"]["title"] == "Steward"


def test_commands_of_the_client_list_their_arguments(installed: Path) -> None:
    ended = subprocess.run(
        [installed / "steward", "work-orders", "list"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    assert "pip install './clients/python[cli]' in a checkout" in ended.stderr
    assert "Traceback" not in ended.stderr
