"""Checks that a form was sent from one of our pages."""

from urllib.parse import urlsplit

from steward.kit.domain.problems import Forbidden
from steward.kit.http.request import Request

# `none`: sent by the person, not by another site.
_OURS = {"same-origin", "none"}


def require_same_origin(request: Request) -> None:
    """Another site can make a browser send a form with the session cookie, but can't forge its origin."""
    site = request.header("sec-fetch-site")
    # Browsers omit that header on plain http; `Origin` is sent there too.
    if site in _OURS or (site is None and _origin_is_host(request)):
        return
    raise Forbidden("This form was not sent from a page of Steward. Go back, reload the page and try again.")


def _origin_is_host(request: Request) -> bool:
    origin, host = request.header("origin"), request.header("host")
    return bool(origin and host) and urlsplit(origin or "").netloc == host
