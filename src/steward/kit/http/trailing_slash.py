"""Redirects a path that ends in a slash to the path without it."""

from typing import Any
from urllib.parse import quote

from steward.kit.http.request import Request
from steward.kit.http.response import Response
from steward.kit.http.router import Router

# Characters that may stay as they are in a path or a query.
_SAFE = "/:@!$&'()*+,;=-._~"


def without_slash(router: Router[Any], request: Request) -> Response | None:
    """308 keeps method and body.

    Only paths that we serve redirect: none of them has an empty segment, so no target can begin with the two
    slashes that would name another host.
    """
    bare = request.path.rstrip("/")
    if bare == request.path or not bare or router.find(bare) is None:
        return None
    target = quote(bare, safe=_SAFE)
    if request.query_string:
        target += "?" + quote(request.query_string, safe=_SAFE + "?%")
    return Response(308, b"", [("location", target)])
