"""A list of any length as one iterator."""

from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

from .._answers import Page
from .._calls import Call
from .transport import AsyncTransport

T = TypeVar("T")


class AsyncPages(Generic[T]):
    """Iterates over all records; pages are fetched as they are needed, each time anew."""

    def __init__(self, transport: AsyncTransport, call: Call, kind: Any) -> None:
        self._transport = transport
        self._call = call
        self._kind = kind

    def __aiter__(self) -> AsyncIterator[T]:
        return self._records()

    async def _records(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for record in page.data:
                yield record

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Page by page; one may be empty and not the last."""
        page = await self.page()
        yield page
        while page.last_evaluated_key is not None:
            page = await self.page(page.last_evaluated_key)
            yield page

    async def page(self, last_evaluated_key: str | None = None) -> Page[T]:
        """The first page, or the one behind this cursor."""
        call = self._call
        if last_evaluated_key is not None:
            call = call.with_query(lastEvaluatedKey=last_evaluated_key)
        return await self._transport.page(call, self._kind)
