"""One call of the API as data: what is sent, before anything is."""

import secrets
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any
from urllib.parse import quote

import msgspec

from ._uploads import Upload

_JSON = "application/json"


class Call(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    content: bytes | None = None
    upload: Upload | None = None

    @property
    def whole(self) -> bool:
        """Whether all of it can be sent now, be it again."""
        return self.upload is None or self.upload.repeatable

    def with_query(self, **more: str) -> "Call":
        return msgspec.structs.replace(self, query=self.query | more)


def make_call(
    method: str,
    path: str,
    *,
    values: Mapping[str, str | int] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Any = None,
    upload: Upload | None = None,
    headers: Mapping[str, str | None] | None = None,
) -> Call:
    """`values` fill the path. None in a query or a header means that it isn't there; UNSET in a body, too."""
    sent = {name: _header(name, value) for name, value in (headers or {}).items() if value is not None}
    if headers is not None and "Idempotency-Key" in headers:
        sent.setdefault("Idempotency-Key", new_idempotency_key())
    content = None
    if body is not None:
        content = msgspec.json.encode(_without_unset(body))
        sent["Content-Type"] = _JSON
    if upload is not None:
        sent["Content-Type"] = "text/csv"
    return Call(
        method=method,
        path=_filled(path, values or {}),
        query={name: _written(value) for name, value in (query or {}).items() if value is not None},
        headers=sent,
        content=content,
        upload=upload,
    )


def _header(name: str, value: str) -> str:
    """An `etag` of a record gets the quotes that belong around it."""
    bare = name in {"If-Match", "If-None-Match"} and value != "*" and '"' not in value
    return f'"{value}"' if bare else value


def new_idempotency_key() -> str:
    return secrets.token_urlsafe(18)


def _filled(path: str, values: Mapping[str, str | int]) -> str:
    for name, value in values.items():
        if value in {"", ".", ".."}:
            raise ValueError(f"{name} must not be {str(value)!r}")
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return path


def _without_unset(body: Any) -> Any:
    if isinstance(body, Mapping):
        return {name: value for name, value in body.items() if value is not msgspec.UNSET}
    return body


def _written(value: Any) -> str:
    """A query's value: several are separated by commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(_written(one) for one in value)
    return str(value)
