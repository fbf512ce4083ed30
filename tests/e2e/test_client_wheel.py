"""The client's wheel, by itself, in an environment that holds nothing else: small, and its quickstart runs."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.organizations import Organization
from tests.support.wheels import PIP, built_wheel, run

pytestmark = pytest.mark.long
CLIENT = Path(__file__).parents[2] / "clients" / "python"
MOST = 10_000_000


@pytest.fixture(scope="module")
def environment_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment without pip, into which the wheel and what it needs were installed."""
    folder = tmp_path_factory.mktemp("client")
    wheel = built_wheel(CLIENT, folder)
    target = folder / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", target)
    got = subprocess.run(
        [*PIP, "--python", str(target / "bin" / "python"), "install", "--retries", "1", str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    if got.returncode != 0 and re.search(
        "No matching distribution|Connection|Network|Temporary failure", got.stderr
    ):
        pytest.skip(f"no package index to get httpx and msgspec from: {got.stderr.strip().splitlines()[-1]}")
    assert got.returncode == 0, got.stderr
    return target


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_it_is_small(environment_of_its_own: Path, record_property: Callable[[str, object], None]) -> None:
    """With the bytecode that Python makes of it."""
    python = environment_of_its_own / "bin" / "python"
    (packages,) = environment_of_its_own.glob("lib/python*/site-packages")
    run(python, "-m", "compileall", "-q", packages)
    size = _size(packages)
    own = _size(packages / "steward_client")
    record_property(
        "summary",
        f"client: {size / 1e6:.1f} MB installed, {own / 1e6:.1f} MB of it our own, bytecode included",
    )
    assert size < MOST


def test_it_runs_the_quickstart(environment_of_its_own: Path, organization: Organization) -> None:
    quickstart = re.findall(r"```python\n(.*?)```", (CLIENT / "README.md").read_text("utf-8"), re.DOTALL)[0]
    said = run(
        environment_of_its_own / "bin" / "python",
        "-c",
        quickstart,
        STEWARD_URL=organization.base_url,
        STEWARD_API_KEY=organization.secret,
        STEWARD_ORG=organization.id,
    )
    assert said == "1 Leak under the sink Completed\n"


def test_it_does_without_what_the_extras_bring(environment_of_its_own: Path) -> None:
    program = (
        "import importlib.util as u, steward_client.webhooks, steward_client;"
        "print([n for n in ('click', 'rich', 'mcp', 'steward') if u.find_spec(n)])"
    )
    assert run(environment_of_its_own / "bin" / "python", "-c", program) == "[]\n"


def test_without_the_extra_the_command_names_what_to_install(environment_of_its_own: Path) -> None:
    ended = subprocess.run(
        [environment_of_its_own / "bin" / "steward-client"], capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "./clients/python[cli]" in ended.stderr
    assert "Traceback" not in ended.stderr
