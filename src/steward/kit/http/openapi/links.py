"""OpenAPI links: what a caller can do with a new record, and where its identifier goes.

They follow from the paths: an operation that creates a record at `P` links to every operation at `P/{id}` and
below.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from steward.kit.http.openapi.answers import PLACEHOLDER, Json
from steward.kit.http.route import Route


def links(route: Route, routes: Iterable[Route]) -> Json:
    """By the operation that each link leads to; none where the route creates nothing with an address."""
    if route.method != "POST" or route.status != 201 or route.shape != "one":
        return {}
    known = PLACEHOLDER.findall(route.path)
    below = re.compile(re.escape(route.path) + r"/{(\w+)}(/[^{]*)?")
    found: Json = {}
    for other in routes:
        if match := below.fullmatch(other.path):
            parameters = {name: f"$request.path.{name}" for name in known}
            parameters[match[1]] = f"$response.body#/data/{_identifier(route.gives)}"
            found[other.operation_id] = {"operationId": other.operation_id, "parameters": parameters}
    return found


def _identifier(record: Any) -> str:
    """A record's identifier is its first field, whatever its name."""
    return msgspec.structs.fields(record)[0].encode_name
