"""Templates: each slice has its own; all share one layout and one set of widgets."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup, escape

from steward.kit.domain.money import money, money_input
from steward.kit.domain.versions import version_of
from steward.kit.security.permissions import MEANINGS
from steward.kit.web import badges, moments
from steward.web.icons import icon

_MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
)


@cache
def _source(name: str) -> str | None:
    """`work_orders/list.html` is the file `list.html` in the templates of the slice `work_orders`."""
    folder, _, file = name.partition("/")
    found = files("steward").joinpath(folder, "templates", file)
    return found.read_text(encoding="utf-8") if found.is_file() else None


def load_templates() -> None:
    """Reads all templates, for a process that can't read files later."""
    for folder in files("steward").iterdir():
        templates = folder.joinpath("templates")
        if templates.is_dir():
            for template in templates.iterdir():
                _source(f"{folder.name}/{template.name}")


def prose(text: str) -> Markup:
    """Backticks mark code, two asterisks strong text, an empty line a new paragraph."""
    return Markup("").join(
        Markup("<p>{}</p>").format(_marked(part.strip())) for part in text.split("\n\n") if part.strip()
    )


def _marked(text: str) -> Markup:
    safe = str(escape(text))
    for mark, element in _MARKS:
        safe = mark.sub(element, safe)
    return Markup(safe)  # noqa: S704 (escaped before it was marked up)


def sentence(text: str) -> str:
    """Capitalizes the first letter and keeps the rest."""
    return text[:1].upper() + text[1:]


def renderer(asset_url: Callable[[str], str]) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        when=moments.when,
        full_time=moments.full_time,
        clock=moments.clock,
        day=moments.day,
        local_input=moments.local_input,
        duration=moments.duration,
        badge=badges.status,
        priority=badges.priority,
        due=badges.due,
        money=money,
        money_input=money_input,
        prose=prose,
        spaced=badges.spaced,
        sentence=sentence,
        version=version_of,
        meaning=MEANINGS.__getitem__,
    )
    environment.globals.update(asset=asset_url, icon=icon)
    # Compiled once: an import `with context` would build the module anew for every page.
    environment.globals["widgets"] = environment.get_template("web/widgets.html").module
    return environment


def page_bytes(
    environment: jinja2.Environment,
    template: str,
    values: msgspec.Struct,
    common: Mapping[str, Any] = MappingProxyType({}),
) -> bytes:
    """`common` are values that every page may use."""
    shown = {**common, **msgspec.structs.asdict(values)}
    return environment.get_template(template).render(shown).encode()
