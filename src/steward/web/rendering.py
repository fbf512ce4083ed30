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

from steward.kit.domain.money import money, money_input
from steward.kit.domain.versions import version_of

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


@jinja2.pass_context
def full_time(context: Context, seconds: int) -> str:
    """In the zone of the person in front of the browser."""
    moment = _moment(context, seconds)
    return f"{moment:%-d %B %Y, %H:%M} {moment.tzname()}"


@jinja2.pass_context
def when(context: Context, seconds: int | None) -> Markup:
    """A moment as people say it, with the exact time for who wants it. The page's `now` is that of its request."""
    if seconds is None:
        return Markup("")
    moment = _moment(context, seconds)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        f"{moment:%-d %B %Y, %H:%M} {moment.tzname()}",
        relative(seconds, context["now"], moment),
    )


@jinja2.pass_context
def clock(context: Context, seconds: int) -> str:
    return f"{_moment(context, seconds):%H:%M}"


@jinja2.pass_context
def day(context: Context, seconds: int) -> str:
    return f"{_moment(context, seconds):%a %-d %b %Y}"


@jinja2.pass_context
def local_input(context: Context, seconds: int | str | None) -> str:
    """The value of an input for a moment; what somebody sent stays as they sent it."""
    return f"{_moment(context, seconds):%Y-%m-%dT%H:%M}" if isinstance(seconds, int) else seconds or ""


def _moment(context: Context, seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, context.get("zone") or UTC)


def relative(seconds: int, now: int, moment: datetime) -> str:
    passed = now - seconds
    if abs(passed) >= 7 * _DAY:
        return f"{moment:%-d %b %Y}"
    if abs(passed) < _MINUTE:
        return "just now"
    text = duration(abs(passed))
    return f"{text} ago" if passed > 0 else f"in {text}"


def duration(seconds: int) -> str:
    """The larger unit, as people say it."""
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h"
    days = seconds // _DAY
    return f"{days} day{'s' if days != 1 else ''}"


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
    environment.filters.update(
        when=when,
        full_time=full_time,
        clock=clock,
        day=day,
        local_input=local_input,
        duration=duration,
        money=money,
        money_input=money_input,
        prose=prose,
        spaced=spaced,
        sentence=sentence,
        version=version_of,
    )
    environment.globals.update(asset=asset_url)
    return environment


def page_bytes(environment: jinja2.Environment, template: str, values: dict[str, Any]) -> bytes:
    return environment.get_template(template).render(values).encode()
