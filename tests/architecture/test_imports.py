"""The reading order is the import order: a room may look up and to the left, never down or right."""

import ast
import re
from collections.abc import Collection

import pytest
from tests.architecture.source import ORDER, ROOT, imports, modules

# Beside the slices, not among them: they compose what slices offer.
COMPOSERS = {"upkeep", "web", "demo", "operations", "wiring", "cli", "__main__"}
SUPERVISOR_MAY_KNOW = {"settings", "supervisor"}

MODULES = modules()


def _room(module: str) -> str:
    return module.split(".", 1)[0]


def test_every_room_has_a_place_in_the_order() -> None:
    assert {_room(module) for module in MODULES if module} <= set(ORDER)


def test_the_guide_shows_the_rooms_in_this_order() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = guide.split("src/steward/", 1)[1].split("```", 1)[0]
    assert re.findall(r"(\w+)/(?=\s)", tree) == [room for room in ORDER if room != "__main__"]


@pytest.mark.parametrize("module", [name for name in MODULES if name])
def test_a_module_looks_only_up_and_to_the_left(module: str) -> None:
    rank = ORDER.index(_room(module))
    below = {
        name for name in imports(MODULES[module]) if _room(name) in ORDER and ORDER.index(_room(name)) > rank
    }
    # The migrations are files that the kit's runner finds by their package.
    assert {name for name in below if name.split(".")[0] != "migrations"} == set()


@pytest.mark.parametrize("module", [name for name in MODULES if name])
def test_a_slice_keeps_its_actions_and_routes_to_itself(module: str) -> None:
    if _room(module) in COMPOSERS:
        return
    foreign = {
        name
        for name in imports(MODULES[module])
        if _room(name) not in {_room(module), "kit"}
        and name.split(".")[1:2] in (["actions"], ["api"], ["pages"])
    }
    assert foreign == set()


def test_the_supervisor_knows_nothing_of_the_service() -> None:
    for module, tree in MODULES.items():
        if _room(module) == "supervisor":
            assert {_room(name) for name in imports(tree)} <= SUPERVISOR_MAY_KNOW, module


def test_imports_stand_at_the_top() -> None:
    for module, tree in MODULES.items():
        nested = [
            node.lineno
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert nested == [], module


def test_no_two_modules_need_each_other() -> None:
    named = {name: imports(tree) for name, tree in MODULES.items() if name}
    graph = {
        name: {found for one in imported if (found := _module_of(one, named)) is not None and found != name}
        for name, imported in named.items()
    }
    for name in graph:
        seen, todo = set(), [name]
        while todo:
            for other in graph.get(todo.pop(), ()):
                assert other != name, f"{name} imports itself through others"
                if other not in seen:
                    seen.add(other)
                    todo.append(other)


def _module_of(imported: str, known: Collection[str]) -> str | None:
    """`kit.db.pool.Pool` is a name of the module `kit.db.pool`."""
    return imported if imported in known else next(iter({imported.rpartition(".")[0]} & set(known)), None)
