"""The source as the tests of the architecture read it: parsed, by module name."""

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "steward"


# The packages in the order in which they may import each other, as the guide shows them: up and to the left.
_TREE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("src/steward/", 1)[1].split("```", 1)[0]
_ROOMS = re.findall(r"(\w+)(?:/|\.py)(?=\s)", _TREE)
ORDER = (*_ROOMS, "__main__")
SLICES = ORDER[ORDER.index("organizations") : ORDER.index("webhooks") + 1]

# The same inside the kit.
ORDER_OF_THE_KIT = (
    "runtime",
    "domain",
    "security",
    "db",
    "coordination",
    "jobs",
    "events",
    "records",
    "http",
    "web",
    "tracing",
)


@cache
def modules(folder: Path = SOURCE) -> Mapping[str, ast.Module]:
    """`kit.db` → its syntax tree, for every module of the package."""
    found = {}
    for file, tree in trees(folder).items():
        parts = file.relative_to(folder).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = tree
    return found


@cache
def trees(folder: Path) -> Mapping[Path, ast.Module]:
    """Every file below a folder, parsed once for all tests of a process."""
    files = sorted(folder.rglob("*.py"))
    # A test of everything says nothing where there is nothing.
    assert files, f"no source in {folder}"
    return {file: ast.parse(file.read_text(encoding="utf-8"), filename=str(file)) for file in files}


@cache
def imports(tree: ast.Module, package: str = "steward") -> Mapping[str, int]:
    """The modules of ours that a module imports, without the package's own name, each with its line. One that is loaded by its
    whole name counts, too."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package:
            base = node.module.removeprefix(package).removeprefix(".")
            for alias in node.names:
                found.setdefault(f"{base}.{alias.name}" if base else alias.name, node.lineno)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(f"{package}."):
                    found.setdefault(alias.name.removeprefix(f"{package}."), node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            for name in (each.value for each in node.args if isinstance(each, ast.Constant)):
                if str(name).startswith(f"{package}."):
                    found.setdefault(str(name).removeprefix(f"{package}."), node.lineno)
    return found


@cache
def calls(tree: ast.Module) -> Mapping[str, list[int]]:
    """The functions and methods that a module calls, by their last name, with the lines."""
    found = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                found[node.func.id].append(node.lineno)
            elif isinstance(node.func, ast.Attribute):
                found[node.func.attr].append(node.lineno)
    return dict(found)
