"""The routes of a resource by what they do to a record, for batches and replacements by external id."""

from collections.abc import Iterable
from typing import Any

import msgspec

from steward.kit.domain.problems import Forbidden
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response
from steward.kit.http.route import Call, Route


class Operations(msgspec.Struct, frozen=True):
    """Other routes call their handlers directly, so that there is one way to do each thing."""

    resource: Resource
    create: Route
    change: Route
    # For kinds that can be deleted.
    delete: Route | None
    # By verb.
    moves: dict[str, Route]

    @classmethod
    def of(cls, resource: Resource, routes: Iterable[Route]) -> "Operations":
        one = f"{resource.path}{resource.item}"
        by_name = {route.name: route for route in routes}
        moves = {route.path.removeprefix(f"{one}/"): route for route in by_name.values() if route.move}
        return cls(
            resource,
            by_name[f"POST {resource.path}"],
            by_name[f"PATCH {one}"],
            by_name.get(f"DELETE {one}"),
            moves,
        )

    @property
    def name(self) -> str:
        """The record's name as a class name."""
        name: str = self.resource.gives.__name__
        return name

    def address(self, id: str) -> dict[str, str]:
        return {self.resource.id_name: id}


async def perform(route: Route, call: Call[Any, Any]) -> Response:
    """The route's effect for a caller who may use it."""
    if refusal := route.refusal(call.caller):
        raise Forbidden(refusal)
    # A route whose address takes parameters gets none of them here.
    call.query = route.query()
    answer = await route.handler(call)
    assert isinstance(answer, Response)  # noqa: S101 (nothing that changes a record streams)
    return answer
