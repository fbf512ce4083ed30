"""Templates: each slice keeps its own beside its pages; all share one layout and one set of widgets."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from jinja2.runtime import Context
from markupsafe import Markup, escape

_MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
)
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@cache
def _source(name: str) -> str | None:
    """`work_orders/list.html` is the file `list.html` in the templates of the slice `work_orders`."""
    folder, _, file = name.partition("/")
    found = files("steward").joinpath(folder, "templates", file)
    return found.read_text(encoding="utf-8") if found.is_file() else None


def load_templates() -> None:
    """All into memory, for a process that won't be able to read them later."""
    for folder in files("steward").iterdir():
        templates = folder.joinpath("templates")
        if templates.is_dir():
            for template in templates.iterdir():
                _source(f"{folder.name}/{template.name}")


def full_time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y, %H:%M UTC")


@jinja2.pass_context
def when(context: Context, seconds: int) -> Markup:
    """A moment as people say it, with the exact time for who wants it. The page's `now` is that of its request."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        moment.strftime("%Y-%m-%dT%H:%M:%SZ"), full_time(seconds), ago(seconds, context["now"])
    )


def ago(seconds: int, now: int) -> str:
    passed = now - seconds
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{passed // _MINUTE} min ago"
    if passed < _DAY:
        return f"{passed // _HOUR} h ago"
    if passed < 7 * _DAY:
        days = passed // _DAY
        return f"{days} day{'s' if days > 1 else ''} ago"
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %b %Y")


def prose(text: str) -> Markup:
    """Backticks mark code, two stars what is strong, an empty line a new paragraph."""
    return Markup("").join(
        Markup("<p>{}</p>").format(_marked(part.strip())) for part in text.split("\n\n") if part.strip()
    )


def _marked(text: str) -> Markup:
    safe = str(escape(text))
    for mark, element in _MARKS:
        safe = mark.sub(element, safe)
    return Markup(safe)  # noqa: S704 (escaped before it was marked up)


def spaced(name: str) -> str:
    """`InProgress` → `In progress`."""
    return _WORDS.sub(" ", name).capitalize()


def sentence(text: str) -> str:
    """Begins with a capital, and leaves the rest as it is written."""
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
    environment.filters.update(when=when, full_time=full_time, prose=prose, spaced=spaced, sentence=sentence)
    environment.globals.update(asset=asset_url)
    return environment


def page_bytes(environment: jinja2.Environment, template: str, values: dict[str, Any]) -> bytes:
    return environment.get_template(template).render(values).encode()
