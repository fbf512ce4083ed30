"""Whether floor and peer give the same as the service: otherwise the ratio compares different work."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bench.load import BrokenRunError, Caller, Request


def require_alike(request: Request, service_port: int, others: Mapping[str, int]) -> None:
    """The others are ports by the name of their side."""
    ours = _ask(request, service_port)
    for side, port in others.items():
        other = _ask(request, port)
        if ours[0] != other[0] or _shape(ours[1]) != _shape(other[1]):
            raise BrokenRunError(
                f"{request.method} {request.path}: the service gave {ours}, the {side} {other}"
            )


def _ask(request: Request, port: int) -> tuple[int, Any]:
    answer = Caller(port, request.headers).ask(request.method, request.path, request.body or None)
    return answer.status, msgspec.json.decode(answer.body)


def _shape(value: Any) -> Any:
    """Names, order, kinds and lengths; not the values, since two creates never give the same."""
    match value:
        case dict():
            return [(name, _shape(part)) for name, part in value.items()]
        case list():
            return [_shape(part) for part in value]
        case str():
            return len(value)
        case _:
            return type(value).__name__
