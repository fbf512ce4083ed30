"""What the operations of a group have in common."""

from typing import Any, TypeVar

from .._calls import Call, make_call
from .exports import AsyncExport
from .pages import AsyncPages
from .transport import AsyncTransport

T = TypeVar("T")
# Automatic paging wants few pages.
_ORGANIZATION = "{orgId}"


class AsyncGroup:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def _call(self, method: str, path: str, *, organization: str | None = None, **parts: Any) -> Call:
        if _ORGANIZATION in path:
            values = {"orgId": self._transport.organization_or_default(organization)}
            parts["values"] = values | parts.get("values", {})
        return make_call(method, path, **parts)

    async def _record(self, kind: type[T], method: str, path: str, **parts: Any) -> T:
        return await self._transport.record(self._call(method, path, **parts), kind)

    async def _nothing(self, method: str, path: str, **parts: Any) -> None:
        """The answer says no more than that it is done."""
        await self._transport.send(self._call(method, path, **parts))

    async def _data(self, method: str, path: str, **parts: Any) -> dict[str, Any]:
        found: dict[str, Any] = await self._transport.data(self._call(method, path, **parts))
        return found

    async def _text(self, method: str, path: str, **parts: Any) -> str:
        return await self._transport.text(self._call(method, path, **parts))

    def _pages(self, kind: type[T], method: str, path: str, **parts: Any) -> AsyncPages[T]:
        return AsyncPages(self._transport, self._call(method, path, **parts), kind)

    def _export(self, kind: type[T], method: str, path: str, **parts: Any) -> AsyncExport[T]:
        return AsyncExport(self._transport, self._call(method, path, **parts), kind)
