"""Whether the floor gives the same as the service: otherwise the ratio compares different work."""

import http.client
from typing import Any

import msgspec

from bench.scenario import Request


class UnlikeError(Exception):
    """The floor's answer has another shape than the service's."""


def require_alike(request: Request, service_port: int, floor_port: int) -> None:
    ours, floor = (_ask(request, port) for port in (service_port, floor_port))
    if ours[0] != floor[0] or _shape(ours[1]) != _shape(floor[1]):
        raise UnlikeError(f"{request.method} {request.path}: the service gave {ours}, the floor {floor}")


def _ask(request: Request, port: int) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        headers = {"X-API-Key": request.key, "Content-Type": "application/json"}
        connection.request(request.method, request.path, request.body or None, headers)
        answer = connection.getresponse()
        return answer.status, msgspec.json.decode(answer.read())
    finally:
        connection.close()


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
