"""The units: as systemd reads them, shut off from what they don't need, and with time to stop."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.deploy_files import UNITS, unit

from steward.settings import SETTINGS, from_environment

SERVICES = sorted(UNITS.glob("*.service"))
# Of systemd's own ten points; the rest is what a service that listens needs.
EXPOSURE = 20


def _analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed: apt-get install systemd")
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


def test_systemd_understands_every_line() -> None:
    said = _analyze(
        "verify", "--man=no", *SERVICES, UNITS / "steward.socket", UNITS / "steward-backup.timer"
    ).stderr
    # Steward is not installed where the units expect it.
    complaints = [
        line for line in said.splitlines() if "/opt/steward/bin/steward is not executable" not in line
    ]
    assert [line for line in complaints if "steward" in line] == []


@pytest.mark.parametrize("file", SERVICES, ids=lambda file: file.name)
def test_it_is_shut_off(file: Path) -> None:
    ran = _analyze("security", "--offline=yes", f"--threshold={EXPOSURE}", "--no-pager", file)
    assert ran.returncode == 0, ran.stdout[-400:] + ran.stderr


@pytest.mark.parametrize("file", SERVICES, ids=lambda file: file.name)
def test_there_is_time_to_stop(file: Path) -> None:
    lines = dict(unit(file))
    if lines["Type"] == "oneshot":
        return
    assert int(lines["TimeoutStopSec"]) > from_environment({}).shutdown_seconds


def test_all_services_are_shut_off_alike() -> None:
    """What one may not do, no other may: each file is read by itself, so the lines stand in each."""
    own = {"Description", "Type", "ExecStart", "ExecReload", "KillMode", "TimeoutStartSec", "TimeoutStopSec"}
    own |= {"Restart", "RestartSec", "Environment", "WantedBy", "After"}
    own |= {"LoadCredential", "ExecStartPost", "ReadWritePaths"}
    shared = [[pair for pair in unit(file) if pair[0] not in own] for file in SERVICES]
    assert all(lines == shared[0] for lines in shared)


def test_the_environment_file_holds_settings() -> None:
    text = (UNITS / "steward.env").read_text(encoding="utf-8")
    lines = [line.removeprefix("#") for line in text.splitlines() if "=" in line]
    named = {line.partition("=")[0] for line in lines if line.startswith("STEWARD_")}
    assert named
    assert named <= {setting.variable for setting in SETTINGS}
    active = dict(line.split("=", 1) for line in text.splitlines() if line.startswith("STEWARD_"))
    from_environment(active)
