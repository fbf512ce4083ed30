"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from .._answers import Page
from .._calls import Call
from .transport import Transport

T = TypeVar("T")


class Pages(Generic[T]):
    """Iterates over all records; pages are fetched as they are needed, each time anew."""

    def __init__(self, transport: Transport, call: Call, kind: Any) -> None:
        self._transport = transport
        self._call = call
        self._kind = kind

    def __iter__(self) -> Iterator[T]:
        return self._records()

    def _records(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[T]]:
        """Page by page; one may be empty and not the last."""
        page = self.page()
        yield page
        while page.last_evaluated_key is not None:
            page = self.page(page.last_evaluated_key)
            yield page

    def page(self, last_evaluated_key: str | None = None) -> Page[T]:
        """The first page, or the one behind this cursor."""
        call = self._call
        if last_evaluated_key is not None:
            call = call.with_query(lastEvaluatedKey=last_evaluated_key)
        return self._transport.page(call, self._kind)
