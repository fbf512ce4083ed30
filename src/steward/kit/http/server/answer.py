"""The parts of every answer, also of those that the server gives by itself."""

from typing import Any

import msgspec

from steward.kit.domain.problems import Problem

Headers = list[tuple[str, str]]

JSON = ("content-type", "application/json")
# On every answer: browsers must not guess another type.
NO_SNIFFING = ("x-content-type-options", "nosniff")


def encode_problem(found: Problem, request_id: str) -> tuple[Headers, bytes]:
    body: dict[str, Any] = {"error": found.code, "message": found.message, "requestId": request_id}
    if found.details:
        body["details"] = found.details
    headers = [(name.lower(), value) for name, value in found.headers.items()]
    return [JSON, *headers], msgspec.json.encode({**body, **found.more})
