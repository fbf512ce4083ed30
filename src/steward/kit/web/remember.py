"""Small preferences kept in a cookie, such as the location of a reception desk. Nothing secret, no permissions."""

from collections.abc import Iterator

from steward.kit.http.response import Headers

_PREFIX = "steward_remembered_"
_SECONDS = 365 * 86_400
_MAX_LENGTH = 600


def remember(name: str, value: str, *, https: bool) -> Headers:
    """A response header; an empty value deletes the cookie. `value` has letters, digits, `_` and `.` only."""
    seconds, secure = _SECONDS if value else 0, "; Secure" if https else ""
    text = f"{_PREFIX}{name}={value}; Path=/app; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    return [("set-cookie", text)]


def remembered(cookies: str) -> Iterator[tuple[str, str]]:
    """Reads the Cookie header."""
    for part in cookies.split(";"):
        name, _, value = part.strip().partition("=")
        if name.startswith(_PREFIX) and value.isascii() and value.isprintable() and len(value) <= _MAX_LENGTH:
            yield name.removeprefix(_PREFIX), value
