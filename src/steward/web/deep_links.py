"""Where somebody wanted to go before they had to log in: kept on the way, and only ever a page of ours."""

from urllib.parse import quote, unquote, urlsplit

HOME = "/app"
LOGIN = "/app/login"
# A redirect with more than this is refused by some servers in between.
_MAX_LENGTH = 2000


def page_asked_for(path: str, query_string: str) -> str:
    """The address as it was asked for; without its query where that is too long to be carried along."""
    asked = quote(path)
    with_query = f"{asked}?{query_string}" if query_string else asked
    return with_query if len(quote(with_query)) <= _MAX_LENGTH else asked


def own_page(asked: str) -> str:
    """The page to go to after logging in; the first one of all where somebody else's link names a place that isn't ours."""
    if not asked.isascii() or not asked.isprintable() or "\\" in asked or len(asked) > _MAX_LENGTH:
        return HOME
    try:
        parts = urlsplit(asked)
    except ValueError:
        return HOME
    inside = parts.path == HOME or parts.path.startswith(f"{HOME}/")
    if parts.scheme or parts.netloc or not inside or parts.path.rstrip("/") == LOGIN:
        return HOME
    # A browser resolves these before it asks, whichever way they are written.
    if {".", ".."} & set(unquote(parts.path).split("/")):
        return HOME
    return asked
