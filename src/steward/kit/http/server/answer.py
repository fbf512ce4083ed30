"""What every answer is made of, also one that the server gives by itself."""

from typing import Any

import msgspec

from steward.kit.domain.problems import Problem

Headers = list[tuple[str, str]]

JSON = ("content-type", "application/json")
# On every answer: what we say it is, it is.
NO_SNIFFING = ("x-content-type-options", "nosniff")


def encode_problem(found: Problem, request_id: str) -> tuple[Headers, bytes]:
    body: dict[str, Any] = {"error": found.code, "message": found.message, "requestId": request_id}
    if found.details:
        body["details"] = found.details
    headers = [(name.lower(), value) for name, value in found.headers.items()]
    return [JSON, *headers], msgspec.json.encode({**body, **found.more})
