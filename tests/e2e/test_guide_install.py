"""docs/operate/install.md: the wheels are built, and installed in each of the ways that the page names."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from tests.support.machine import blocks_for
from tests.support.processes import environment
from tests.support.waiting import limit

from steward import __version__

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
BUILD, PIP, UV, PIPX = blocks_for("docs/operate/install.md", "e2e/test_guide_install.py")
PROGRAMS = sysconfig.get_path("scripts")


def _follow(code: str, home: Path) -> str:
    """In the checkout; what is installed goes into a folder of the test."""
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code.replace("/opt/steward", f"{home}/steward")],
        env={
            **environment(),
            "PATH": f"{home}/bin:{PROGRAMS}:{os.environ['PATH']}",
            "UV_TOOL_DIR": f"{home}/tools",
            "UV_TOOL_BIN_DIR": f"{home}/bin",
            "PIPX_HOME": f"{home}/pipx",
            "PIPX_BIN_DIR": f"{home}/bin",
        },
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit(900),
        check=False,
    )
    assert ran.returncode == 0, f"{code}\n{ran.stdout}"
    return ran.stdout


@pytest.fixture(scope="module", autouse=True)
def wheels(tmp_path_factory: pytest.TempPathFactory) -> None:
    said = _follow(BUILD, tmp_path_factory.mktemp("build"))
    for name in ("steward", "steward_client"):
        assert f"{name}-{__version__}-py3-none-any.whl" in said


def test_by_pip_with_the_versions_that_were_tested(tmp_path: Path) -> None:
    assert f"steward, version {__version__}" in _follow(PIP, tmp_path)
    # The commands for users are there, too.
    assert "work-orders" in _follow("/opt/steward/bin/steward --help", tmp_path)


@pytest.mark.parametrize(("program", "code"), [("uv", UV), ("pipx", PIPX)], ids=["uv", "pipx"])
def test_by_a_program_that_makes_the_environment(program: str, code: str, tmp_path: Path) -> None:
    if shutil.which(program, path=f"{PROGRAMS}:{os.environ['PATH']}") is None:
        pytest.skip(f"{program} is not installed: pip install {program}")
    _follow(code, tmp_path)
    said = _follow(f"{tmp_path}/bin/steward --version; {tmp_path}/bin/steward --help", tmp_path)
    assert f"steward, version {__version__}" in said
    assert "work-orders" in said
