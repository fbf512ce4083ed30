"""What `scripts/setup` installs, and how it says how far it is."""

import re
import subprocess
import sys

import pytest
from scripts.install import LOCKS, ROOT, collected, is_installed


def test_a_package_is_counted_once_as_pip_comes_to_it() -> None:
    lines = [
        "Collecting aiohttp==3.14.5 (from -r requirements.txt (line 9))",
        "  Downloading aiohttp-3.14.5.whl (1.7 MB)",
        "Requirement already satisfied: click==8.5.1 in somewhere",
        "Collecting aiohttp==3.14.5 (from -r requirements-build.txt (line 1))",
        "Installing collected packages: aiohttp",
    ]
    assert list(collected(iter(lines))) == ["aiohttp", "click"]


def test_the_developer_requirements_include_those_of_the_service() -> None:
    assert _pins(LOCKS["run"]) < _pins(LOCKS["all"])


def test_nothing_that_only_developers_need_is_installed_to_run_it() -> None:
    names = {pin.partition("==")[0] for pin in _pins(LOCKS["run"])}
    assert {"pytest", "mypy", "playwright", "mkdocs-material", "mcp"} & names == set()


@pytest.mark.parametrize("for_whom", LOCKS)
def test_the_developer_requirements_cover_both_packages(for_whom: str) -> None:
    assert is_installed(for_whom), "`make setup` brings it up to date"


def test_nothing_but_python_itself_is_needed_to_install() -> None:
    code = (
        "import sys; import scripts.install; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    ours = {name for name in re.findall(r"'(\w+)'", loaded) if name not in sys.stdlib_module_names} - {
        "scripts",
        "sitecustomize",
    }
    assert {name for name in ours if not name.startswith("_")} == set()


def _pins(locks: tuple[str, ...]) -> set[str]:
    return {
        pin
        for lock in locks
        for pin in re.findall(r"^[\w.-]+==\S+", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE)
    }
