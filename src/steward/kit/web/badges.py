"""How a status, a priority and a deadline look, in lists and on pages."""

import re
from functools import lru_cache

from markupsafe import Markup

from steward.kit.web.html import Html
from steward.kit.web.moments import duration, full_time, now

NOTHING = Markup('<span class="quiet">\N{EN DASH}</span>')
_STATUS = Html('<span class="badge is-%s">%s</span>')
_PRIORITY = Html('<span class="priority is-%s">%s</span>')
_PAUSED = Html('<span class="due is-paused" title="%s">paused</span>')
_DUE = Html('<span class="due%s"><time datetime="%s" title="%s">%s</time></span>')
_NEAR = 4 * 3600
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=1024)
def spaced(name: str) -> str:
    """`InProgress` → `In progress`."""
    return _WORDS.sub(" ", name).capitalize()


@lru_cache(maxsize=1024)
def status(value: str) -> Markup:
    return _STATUS(value.lower(), spaced(value))


@lru_cache(maxsize=64)
def priority(value: str) -> Markup:
    return _PRIORITY(value.lower(), value)


def due(deadline: int | None, *, paused: bool = False) -> Markup:
    """Time left until a deadline: calm, near, over."""
    if paused:
        return _PAUSED(full_time(deadline) if deadline else "")
    if not deadline:
        return NOTHING
    left = deadline - now()
    tone = " is-over" if left <= 0 else " is-near" if left < _NEAR else ""
    text = f"{duration(-left)} overdue" if left <= 0 else f"{duration(left)} left"
    return _DUE(tone, deadline, full_time(deadline), text)
