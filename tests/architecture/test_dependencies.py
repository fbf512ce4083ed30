"""What is imported is declared, and what is declared is imported: `make check` has deptry say so."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from tests.architecture.source import ROOT, SOURCE


def _deptry(folder: Path) -> tuple[int, str]:
    """Its code and what it found in a project."""
    program = Path(sys.executable).with_name("deptry")
    done = subprocess.run(
        [program, "--no-ansi", "src"], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_package_that_is_imported_without_being_declared_is_found(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    copied = shutil.copytree(SOURCE, tmp_path / "src" / "steward")
    assert _deptry(tmp_path)[0] == 0
    # It is there, because another package of ours needs it.
    (copied / "careless.py").write_text("import multidict\n", encoding="utf-8")
    code, said = _deptry(tmp_path)
    assert code == 1
    assert "careless.py:1:8: DEP003 'multidict'" in said


def test_a_package_that_is_declared_without_being_imported_is_found(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "src" / "steward")
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    more = declared.replace("dependencies = [\n", 'dependencies = [\n    "httpx>=0.28",\n', 1)
    (tmp_path / "pyproject.toml").write_text(more, encoding="utf-8")
    code, said = _deptry(tmp_path)
    assert code == 1
    assert "DEP002 'httpx'" in said


def test_the_locked_packages_are_those_that_a_user_of_the_packages_gets() -> None:
    service, client = _project("."), _project("clients/python")
    commands = [*client["dependencies"], *client["optional-dependencies"]["cli"]]
    assert _locked("requirements.in") == _names([*service["dependencies"], *commands])


def test_the_extras_are_locked_for_the_image() -> None:
    service, client = _project("."), _project("clients/python")
    extras = _names([*service["optional-dependencies"]["otel"], *client["optional-dependencies"]["mcp"]])
    assert _locked("requirements-extras.in") == extras - _locked("requirements.in")


def test_both_packages_are_of_one_version() -> None:
    assert _project(".")["version"] == _project("clients/python")["version"]


def _project(folder: str) -> dict[str, Any]:
    text = (ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def _locked(file: str) -> set[str]:
    """What it asks for by itself."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return _names([line for line in lines if not line.startswith("-r ")])


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=~!;\[ ]", one)[0] for one in requirements if not one.startswith("#")}
