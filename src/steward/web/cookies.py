"""Cookies: the session, and the browser's time zone, which a script of ours stores."""

from datetime import UTC, tzinfo
from functools import lru_cache
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from steward.access.model import SESSION_SECONDS
from steward.kit.http.request import Request
from steward.kit.http.response import Headers

NAME = "steward_session"
ZONE = "steward_zone"
_MAX_LENGTH = 200


def session_cookie(request: Request) -> str | None:
    return _value(request, NAME)


def zone_of(request: Request) -> tzinfo:
    """The viewer's time zone; UTC until the script has stored it."""
    name = _value(request, ZONE)
    return UTC if name is None else _zone(unquote(name))


@lru_cache(maxsize=1024)
def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return UTC


def _value(request: Request, wanted: str) -> str | None:
    header = request.header("cookie") or ""
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == wanted and value.isascii() and value.isprintable() and 0 < len(value) <= _MAX_LENGTH:
            return value
    return None


def set_session(value: str, *, https: bool) -> Headers:
    return _cookie(value, SESSION_SECONDS, https=https)


def clear_session(*, https: bool) -> Headers:
    return _cookie("", 0, https=https)


def _cookie(value: str, seconds: int, *, https: bool) -> Headers:
    secure = "; Secure" if https else ""
    text = f"{NAME}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    return [("set-cookie", text)]
