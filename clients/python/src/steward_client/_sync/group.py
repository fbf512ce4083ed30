"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any, TypeVar

from .._calls import Call, make_call
from .exports import Export
from .pages import Pages
from .transport import Transport

T = TypeVar("T")
# Automatic paging wants few pages.
_ORGANIZATION = "{orgId}"


class Group:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _call(self, method: str, path: str, *, organization: str | None = None, **parts: Any) -> Call:
        if _ORGANIZATION in path:
            values = {"orgId": self._transport.organization_or_default(organization)}
            parts["values"] = values | parts.get("values", {})
        return make_call(method, path, **parts)

    def _record(self, kind: type[T], method: str, path: str, **parts: Any) -> T:
        return self._transport.record(self._call(method, path, **parts), kind)

    def _nothing(self, method: str, path: str, **parts: Any) -> None:
        """The answer says no more than that it is done."""
        self._transport.send(self._call(method, path, **parts))

    def _data(self, method: str, path: str, **parts: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._transport.data(self._call(method, path, **parts))
        return found

    def _text(self, method: str, path: str, **parts: Any) -> str:
        return self._transport.text(self._call(method, path, **parts))

    def _pages(self, kind: type[T], method: str, path: str, **parts: Any) -> Pages[T]:
        return Pages(self._transport, self._call(method, path, **parts), kind)

    def _export(self, kind: type[T], method: str, path: str, **parts: Any) -> Export[T]:
        return Export(self._transport, self._call(method, path, **parts), kind)
