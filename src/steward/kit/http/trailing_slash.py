"""A path that ends in a slash is one without it, for whoever reads it in a hurry: the caller is sent there."""

from typing import Any
from urllib.parse import quote

from steward.kit.http.request import Request
from steward.kit.http.response import Response
from steward.kit.http.router import Router

# What may stand in a path or a query as it is.
_SAFE = "/:@!$&'()*+,;=-._~"


def without_slash(router: Router[Any], request: Request) -> Response | None:
    """308 keeps method and body. Only where something is served there: no path that we serve has an empty segment, so that none
    can begin with the two slashes which would name another host."""
    bare = request.path.rstrip("/")
    if bare == request.path or not bare or router.find(bare) is None:
        return None
    target = quote(bare, safe=_SAFE)
    if request.query_string:
        target += "?" + quote(request.query_string, safe=_SAFE + "?%")
    return Response(308, b"", [("location", target)])
