"""The session's cookie: how it is read, set and taken away."""

from steward.access.model import SESSION_SECONDS
from steward.kit.http.request import Request
from steward.kit.http.response import Headers

NAME = "steward_session"
_MAX_LENGTH = 200


def session_cookie(request: Request) -> str | None:
    header = request.header("cookie") or ""
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == NAME and value.isascii() and value.isprintable() and 0 < len(value) <= _MAX_LENGTH:
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
