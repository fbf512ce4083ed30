"""Finds the route of a path in one pass over its segments."""

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

# External ids may contain slashes: such a placeholder takes the rest of the path, except a last segment that
# is known.
_TAKES_THE_REST = "{externalId}"
_PARAMETER = ""  # no segment of a served path is empty, so this can't be mistaken for one


class Routed(Protocol):
    """A route of the API, or a page of the web app."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...


R = TypeVar("R", bound=Routed)


class _Node(Generic[R]):
    __slots__ = ("below", "methods", "names", "takes_the_rest")

    def __init__(self) -> None:
        self.below: dict[str, _Node[R]] = {}
        self.methods: dict[str, R] = {}
        self.names: tuple[str, ...] = ()
        self.takes_the_rest = False


class Router(Generic[R]):
    def __init__(self, routes: Iterable[R]) -> None:
        self._root: _Node[R] = _Node()
        for route in routes:
            self._add(route)

    def _add(self, route: R) -> None:
        node = self._root
        names = []
        for segment in route.path.split("/")[1:]:
            key = segment
            if segment.startswith("{"):
                names.append(segment[1:-1])
                key = _PARAMETER
            node = node.below.setdefault(key, _Node())
            node.takes_the_rest |= segment == _TAKES_THE_REST
        if route.method in node.methods:
            raise ValueError(f"two routes for {route.method} {route.path}")
        node.methods[route.method] = route
        node.names = tuple(names)

    def find(self, path: str) -> tuple[dict[str, R], dict[str, str]] | None:
        """The routes of this path by method, and the values of its placeholders; None if no route matches."""
        node = self._root
        values: list[str] = []
        segments = path.split("/")[1:]
        last = len(segments) - 1
        for place, segment in enumerate(segments):
            if node.takes_the_rest and (place < last or segment not in node.below):
                values[-1] += f"/{segment}"
                continue
            below = node.below.get(segment) if segment else None
            if below is None:
                below = node.below.get(_PARAMETER)
                if below is None or not segment:
                    return None
                values.append(segment)
            node = below
        if not node.methods:
            return None
        return node.methods, dict(zip(node.names, values, strict=True))
