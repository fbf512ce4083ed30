"""The distribution: what it says of itself, and what it leaves alone."""

import ast
import tomllib

import pytest
from scripts.client.output import PACKAGE, ROOT

import steward_client


def _project(folder: str) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def test_client_and_service_have_one_version() -> None:
    ours = _project("clients/python")
    assert steward_client.__version__ == ours["version"] == _project(".")["version"]


def test_nothing_of_the_service_is_imported() -> None:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names.append(node.module or "")
            assert not [name for name in names if name.split(".")[0] == "steward"], file


def test_every_name_that_it_shows_exists() -> None:
    for name in steward_client.__all__:
        assert getattr(steward_client, name) is not None
        assert name in dir(steward_client)
    with pytest.raises(AttributeError, match="Stewart"):
        _ = steward_client.Stewart
