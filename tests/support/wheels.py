"""Wheels of ours, and environments that hold nothing else."""

import subprocess
import sys
from pathlib import Path

from tests.support.processes import environment

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def run(*command: str | Path, **variables: str) -> str:
    """What a program says that does well."""
    ended = subprocess.run(
        [str(word) for word in command],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def built_wheel(package: Path, folder: Path) -> Path:
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, package)
    (wheel,) = folder.glob("*.whl")
    return wheel
