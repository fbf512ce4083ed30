"""The reading order is the import order: a room may look up and to the left, never down or right."""

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping

import pytest
from tests.architecture.source import ORDER, ORDER_OF_THE_KIT, ROOT, SLICES, SOURCE, imports, modules
from tests.support.offenders import listed

# Beside the slices, not among them: they compose what slices offer.
COMPOSERS = {"upkeep", "web", "slices", "demo", "operations", "wiring", "cli", "__main__"}
SUPERVISOR_MAY_KNOW = {"settings", "supervisor"}
_FOLDERS = {"steward": SOURCE}


def _room(module: str) -> str:
    return module.split(".", 1)[0]


def _imports() -> Iterator[tuple[str, str, int]]:
    """Module, what it imports of ours, and the line."""
    for module, tree in modules().items():
        if module:
            for name, line in imports(tree).items():
                yield module, name, line


def test_the_guide_shows_every_room_once() -> None:
    assert sorted(ORDER) == sorted({_room(module) for module in modules() if module})


def test_a_module_looks_only_up_and_to_the_left() -> None:
    offenders = [
        f"{module}:{line} imports {name}"
        for module, name, line in _imports()
        # The first test reports packages that are missing in the order.
        if {_room(module), _room(name)} <= set(ORDER)
        if ORDER.index(_room(name)) > ORDER.index(_room(module))
    ]
    assert offenders == [], listed(offenders)


def test_a_slice_keeps_its_actions_and_routes_to_itself() -> None:
    offenders = [
        f"{module}:{line} imports {name}"
        for module, name, line in _imports()
        if _room(module) not in COMPOSERS
        if _room(name) not in {_room(module), "kit"}
        and name.split(".")[1:2] in (["actions"], ["api"], ["pages"])
    ]
    assert offenders == [], listed(offenders)


def test_the_supervisor_knows_nothing_of_the_service() -> None:
    offenders = [
        f"{module}:{line} imports {name}"
        for module, name, line in _imports()
        if _room(module) == "supervisor" and _room(name) not in SUPERVISOR_MAY_KNOW
    ]
    assert offenders == [], listed(offenders)


def test_imports_stand_at_the_top() -> None:
    offenders = sorted(
        {
            f"{module}:{node.lineno}"
            for module, tree in modules().items()
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            # Only processes that serve requests pay for routes and pages.
            if not (module.endswith(".slice") and function.name == "site")
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )
    assert offenders == [], listed(offenders)


def test_the_kit_is_ordered_inside() -> None:
    order = {f"kit.{name}": place for place, name in enumerate(ORDER_OF_THE_KIT)}
    graph = {
        part: needed
        for part, needed in _packages(_graph("steward"), _first_two).items()
        if part.startswith("kit.")
    }
    assert set(graph) == set(order)
    offenders = [
        f"{part} imports {name}"
        for part, needed in graph.items()
        for name in needed & set(order)
        if order[name] > order[part]
    ]
    assert offenders == [], listed(offenders)


def test_the_guide_shows_the_order_of_the_kit() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert " → ".join(f"`{name}`" for name in ORDER_OF_THE_KIT) in guide


def test_no_two_packages_of_the_kit_need_each_other() -> None:
    """At every depth, such as `kit.http` and `kit.http.server`."""
    kit = {name: needed for name, needed in _graph("steward").items() if name.startswith("kit.")}
    assert _cycles(_packages(kit, _package)) == []


def test_no_two_nouns_of_a_slice_need_each_other() -> None:
    """Their pages show one on the other's."""
    slices = {
        name: needed
        for name, needed in _graph("steward").items()
        if _room(name) in SLICES and name.count(".") > 1 and not name.endswith(".pages")
    }
    assert _cycles(_packages(slices, _first_two)) == []


@pytest.mark.parametrize("package", ["steward", "soak", "bench", "scripts"])
def test_no_two_modules_need_each_other(package: str) -> None:
    assert _cycles(_graph(package)) == []


def _graph(package: str) -> dict[str, set[str]]:
    """The modules that each module imports."""
    named = {name: tree for name, tree in modules(_FOLDERS.get(package, ROOT / package)).items() if name}
    return {
        name: {
            found
            for one in imports(tree, package)
            if (found := _module_of(one, named)) is not None and found != name
        }
        for name, tree in named.items()
    }


def _packages(graph: Mapping[str, set[str]], package: Callable[[str], str]) -> dict[str, set[str]]:
    """The same for the packages of the modules."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, needed in graph.items():
        found[package(name)] |= {package(one) for one in needed if one in graph} - {package(name)}
    return found


def _first_two(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _package(module: str) -> str:
    return module if (SOURCE / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]


def _cycles(graph: Mapping[str, set[str]]) -> list[str]:
    return [f"{name} imports itself through others" for name in graph if name in _reached(name, graph)]


def _reached(name: str, graph: Mapping[str, set[str]]) -> set[str]:
    """All that it imports, and what that imports, and so on."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        new = graph.get(todo.pop(), set()) - seen
        seen |= new
        todo += new
    return seen


def _module_of(imported: str, known: Collection[str]) -> str | None:
    """`kit.db.pool.Pool` is a name of the module `kit.db.pool`."""
    return imported if imported in known else next(iter({imported.rpartition(".")[0]} & set(known)), None)
