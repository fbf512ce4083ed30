"""The browser files that others wrote: pinned, fetched once, in the wheel."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from scripts.node import ROOT, is_recent
from scripts.vendor import VENDOR, is_current, vendor_files


def test_the_lock_file_pins_by_digest_and_names_no_host() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, package in packages.items():
        assert not name or package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name


def test_direct_npm_requirements_are_pinned() -> None:
    asked = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    for name, version in {**asked["dependencies"], **asked["devDependencies"]}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name


@pytest.mark.parametrize(
    ("version", "recent"),
    [
        ("v20.19.0", True),
        ("v22.13.1\n", True),
        ("v24.0.0", True),
        ("v26.1.0", True),
        ("v18.20.4", False),
        ("v20.18.9", False),
        ("v22.12.0", False),
        ("v23.9.0", False),
        ("", False),
    ],
)
def test_only_a_node_that_the_tools_run_on_is_used(version: str, recent: bool) -> None:
    assert is_recent(version) is recent


def test_the_vendor_folder_matches_the_lock_file() -> None:
    assert is_current(), "`make setup` brings it up to date"
    assert sorted(file.name for file in VENDOR.iterdir()) == vendor_files()


def test_every_module_has_its_license() -> None:
    licenses = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    for words in ("echarts", "gridstack", "htmx.org", "sortablejs", "zrender", "EventCalendar"):
        assert words in licenses


def _build(root: Path, to: Path) -> subprocess.CompletedProcess[str]:
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(to)!r}))"
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)


def test_the_wheel_holds_them(tmp_path: Path) -> None:
    built = _build(ROOT, tmp_path)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert {f"steward/web/static/vendor/{name}" for name in vendor_files()} <= names
    assert "steward/web/static/steward.css" in names


def test_no_wheel_is_built_without_them(tmp_path: Path) -> None:
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "scripts/build_hook.py",
        "src/steward/__init__.py",
    ):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    built = _build(tmp_path, tmp_path / "dist")
    assert built.returncode != 0
    assert "`make setup` fetches them" in built.stderr
