"""A tool's arguments as a call of the service."""

from collections.abc import Mapping
from typing import Any

from steward_client._calls import Call, make_call
from steward_client.mcp.document import ORGANIZATION, Operation
from steward_client.mcp.schemas import BODY, Arguments

_IDEMPOTENCY_KEY = "Idempotency-Key"
# Ids of other systems are part of a path, too.
_LONGEST_ID = 1000


class ArgumentError(Exception):
    """What an assistant called a tool with, and what it should have."""


def call_for(operation: Operation, takes: Arguments, organization: str, given: Mapping[str, Any]) -> Call:
    """Names are looked at here, values by the service, which says best what is wrong with them."""
    _check_names(takes, given)
    ids = {name: _checked_id(name, given[name]) for name in takes.path}
    return make_call(
        operation.method,
        operation.path,
        values={ORGANIZATION: _checked_id("the organization", organization), **ids},
        query={name: given[name] for name in takes.query if name in given},
        body=_body(operation, takes, given),
        # Made anew for each call of a tool, and kept over its retries.
        headers={_IDEMPOTENCY_KEY: None} if operation.sends(_IDEMPOTENCY_KEY) else None,
    )


def _check_names(takes: Arguments, given: Mapping[str, Any]) -> None:
    if unknown := sorted(set(given) - takes.names):
        known = ", ".join(sorted(takes.names)) or "none"
        raise ArgumentError(f"There is no argument {', '.join(unknown)}. There are: {known}.")
    if missing := [name for name in takes.required if given.get(name) is None]:
        raise ArgumentError(f"Missing: {', '.join(missing)}.")


def _checked_id(name: str, value: Any) -> str | int:
    if not isinstance(value, str | int) or value in {"", ".", ".."}:
        raise ArgumentError(f"{name} is an id, and {value!r} can't be one.")
    if len(str(value)) > _LONGEST_ID:
        raise ArgumentError(f"{name} is an id, and none has more than {_LONGEST_ID} characters.")
    return value


def _body(operation: Operation, takes: Arguments, given: Mapping[str, Any]) -> Any:
    if takes.body == {BODY}:
        return given.get(BODY)
    fields = {name: given[name] for name in takes.body if name in given}
    return fields if fields or operation.body_required else None
