"""Whether a form was sent from a page of ours."""

from urllib.parse import urlsplit

from steward.kit.domain.problems import Forbidden
from steward.kit.http.request import Request

# `none` is the person's own doing: nobody else's page made the browser send it.
_OURS = {"same-origin", "none"}


def require_same_origin(request: Request) -> None:
    """Another site can make a browser send a form with the session's cookie, but can't lie about where it is from."""
    site = request.header("sec-fetch-site")
    # Browsers leave that header out on plain http, where `Origin` still tells.
    if site in _OURS or (site is None and _origin_is_host(request)):
        return
    raise Forbidden("This form was not sent from a page of Steward. Go back, reload the page and try again.")


def _origin_is_host(request: Request) -> bool:
    origin, host = request.header("origin"), request.header("host")
    return bool(origin and host) and urlsplit(origin or "").netloc == host
