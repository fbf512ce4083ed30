"""Every codebase's shame is in its tail, so we cap the tail."""

import ast

from tests.architecture.source import SOURCE, modules

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 40
# A verb takes what it needs once (a bus), then db, who, id, body and If-Match.
MAX_POSITIONAL = 6


def _functions() -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (module, node)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_files_are_short() -> None:
    sizes = {
        str(file.relative_to(SOURCE)): len(file.read_text(encoding="utf-8").splitlines())
        for file in SOURCE.rglob("*.py")
    }
    assert {name: lines for name, lines in sizes.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    long = {
        f"{module}.{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for module, function in _functions()
    }
    # A table of routes or fields is as long as it has rows; it holds no logic.
    tables = {name for name in long if name.endswith(".routes")}
    assert {name: n for name, n in long.items() if n > MAX_FUNCTION_LINES and name not in tables} == {}


def test_functions_take_few_positional_arguments() -> None:
    many = {
        f"{module}.{function.name}": len(function.args.args)
        for module, function in _functions()
        if len([argument for argument in function.args.args if argument.arg not in {"self", "cls"}])
        > MAX_POSITIONAL
    }
    assert many == {}
