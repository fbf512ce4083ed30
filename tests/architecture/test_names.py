"""One name, one thing: a search for a class finds one."""

import ast
from collections import defaultdict
from collections.abc import Mapping

from tests.architecture.source import modules


def _defined_twice(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """Public class name → the modules that define it, for names with more than one."""
    places = defaultdict(list)
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_public_class_name_is_defined_twice() -> None:
    assert _defined_twice(modules()) == {}


def test_a_second_class_of_one_name_would_be_found() -> None:
    source = "class Event: ...\nclass _Row: ..."
    assert _defined_twice({"a": ast.parse(source), "b": ast.parse(source)}) == {"Event": ["a", "b"]}
