"""A template uses what its view hands to it: the fields of a Struct, what every page may use, and the globals.

Views are found by themselves: `View("a/template.html", Page(…))`, or a name that was made so.
"""

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator
from typing import get_type_hints

import jinja2
import msgspec
from jinja2 import meta, nodes
from tests.architecture.source import modules
from tests.support.offenders import listed
from tests.support.registered_pages import registered_pages

from steward.kit.web.import_pages import ImportStart
from steward.kit.web.list_page import ListPage, ListView
from steward.web.app import ProblemPage
from steward.web.docs import DocsPage
from steward.web.rendering import renderer

# What the layout and every page may use.
_COMMON = frozenset({"arguments", "caller", "current_user", "form", "may", "menu", "now", "path"})
# Templates that are included by a name which is a value.
_INCLUDED = {
    "web/import.html": ("assets/import_about.html", "locations/import_about.html"),
    "web/deck_card.html": tuple(
        f"web/deck_card_{kind}.html"
        for kind in ["alerts", "bookings", "chart", "gauge", "sla", "status", "text", "value", "workOrders"]
    ),
}
# Rendered without a view, and kept.
_REFERENCE = ("start", "group", "events", "schemas", "api_keys", "search")

Pair = tuple[str, type[msgspec.Struct]]
_templates = renderer(lambda name: name)


def _struct(module: str, made: ast.expr) -> type[msgspec.Struct]:
    """The Struct that an expression makes, by its class or by a function that returns it, or that an argument is annotated with."""
    called = made.value if isinstance(made, ast.Await) else made
    named = called.func if isinstance(called, ast.Call) else called
    found = getattr(importlib.import_module(f"steward.{module}"), ast.unparse(named), None)
    struct = get_type_hints(found)["return"] if inspect.isfunction(found) else found
    assert isinstance(struct, type), (
        f"{module}: say what {ast.unparse(made)} is, as in `page: OrderPage = ...`"
    )
    assert issubclass(struct, msgspec.Struct)
    return struct


def _of_function(module: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Pair]:
    names = {argument.arg: argument.annotation for argument in function.args.args if argument.annotation}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node.annotation
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "View" and len(node.args) > 1):
            continue
        template, values = node.args[:2]
        parts = next((more.value for more in node.keywords if more.arg == "fragments"), None)
        if isinstance(parts, ast.Name):
            parts = names.get(parts.id)
        shown = [template, *(parts.values if isinstance(parts, ast.Dict) else ())]
        # A view that is shown again has its template from the first one.
        constants = [str(one.value) for one in shown if isinstance(one, ast.Constant)]
        if constants:
            made = names.get(values.id, values) if isinstance(values, ast.Name) else values
            yield from ((one, _struct(module, made)) for one in constants)


def _views() -> set[Pair]:
    """Every template with the Struct that it is given."""
    found = {
        pair
        for module, tree in modules().items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for pair in _of_function(module, function)
    }
    lists = [getattr(page.handler, "__self__", None) for page in registered_pages()]
    for one in lists:
        if isinstance(one, ListPage):
            found |= {(one.template, ListView), (one.results, ListView)}
    return (
        found
        | {(f"web/docs_{page}.html", DocsPage) for page in _REFERENCE}
        | {("web/problem.html", ProblemPage)}
    )


def _own_names(tree: nodes.Template) -> set[str]:
    """What a template makes itself: macros, imports, loops and values that it sets."""
    found = {name.name for name in tree.find_all(nodes.Name) if name.ctx in {"store", "param"}}
    found |= {macro.name for macro in tree.find_all(nodes.Macro)}
    found |= {imported.target for imported in tree.find_all(nodes.Import)}
    for imported in tree.find_all(nodes.FromImport):
        found |= {name if isinstance(name, str) else name[1] for name in imported.names}
    return found


def _used(environment: jinja2.Environment, template: str) -> set[str]:
    """The names that a template takes from its context, with those of what it extends and includes."""
    source, _, _ = environment.loader.get_source(environment, template)  # type: ignore[union-attr]
    tree = environment.parse(source)
    used = meta.find_undeclared_variables(tree)
    parts: list[nodes.Extends | nodes.Include] = [
        *tree.find_all(nodes.Extends),
        *tree.find_all(nodes.Include),
    ]
    for part in parts:
        name = part.template.value if isinstance(part.template, nodes.Const) else None
        for one in (name,) if name else _INCLUDED.get(template, ()):
            used |= _used(environment, one)
    return used - _own_names(tree)


def _unknown(pairs: Iterable[Pair], environment: jinja2.Environment = _templates) -> list[str]:
    return [
        f"{template}: {name} is no field of {struct.__name__}"
        for template, struct in sorted(pairs, key=str)
        for name in sorted(
            _used(environment, template) - set(struct.__struct_fields__) - _COMMON - set(environment.globals)
        )
    ]


def test_templates_use_what_their_views_pass() -> None:
    offenders = _unknown(_views())
    assert offenders == [], listed(offenders)


def test_views_are_found_however_they_are_written() -> None:
    templates = {template for template, _ in _views()}
    assert {
        "web/today.html",
        "web/today_parts.html",
        "web/login.html",
        "web/settings_invited.html",
    } <= templates
    assert {"work_orders/list.html", "web/list_results.html", "web/import_checked.html"} <= templates


def test_a_name_that_nobody_passes_is_found() -> None:
    texts = {
        "base": "{{ now }}{% block main %}{% endblock %}{{ of_base }}",
        "page": """{% extends "base" %}{% set own = choices %}{% block main %}{{ own }}{% for one in choices %}
            {% include "part" %}{% endfor %}{{ widget(form) }}{{ forgotten }}{% endblock %}
            {% macro widget(form) %}{{ form.name }}{{ of_macro }}{% endmacro %}""",
        "part": "{{ one }}{{ of_part }}",
    }
    environment = jinja2.Environment(loader=jinja2.DictLoader(texts), autoescape=True)
    said = _unknown([("page", ImportStart)], environment)
    assert [line.split()[1] for line in said] == ["forgotten", "of_base", "of_macro", "of_part"]
