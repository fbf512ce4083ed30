"""A whole list as one stream, in the memory of one page.

Exports are never urgent: all of them together make one page at a time, so that other requests wait for one
page at most. A slow reader slows its own export and no other.
"""

import asyncio
import csv
import io
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing, contextmanager
from functools import cache
from operator import itemgetter
from types import NoneType
from typing import Any

import msgspec

from steward.kit.db.listing import Listing, Order
from steward.kit.db.listing.execute import position_of
from steward.kit.db.narrow_view import narrowed
from steward.kit.db.pool import Database
from steward.kit.domain.csv_rows import as_text
from steward.kit.domain.list_query import FilterQuery, PageQuery, own_parameters
from steward.kit.domain.problems import TooManyRequests
from steward.kit.http.response import StreamingResponse
from steward.kit.http.route import Call
from steward.kit.security.caller import OwnOnly, TenantId

_ROWS_AT_ONCE = 100
MAX_PER_ORGANIZATION = 2
_RETRY_SECONDS = 5


class ExportFormat(msgspec.Struct, frozen=True):
    """The format of the file: a header, then one piece a page."""

    suffix: str
    title: str
    media_type: str
    head: Callable[[Listing], bytes]
    rows: Callable[[Listing, list[str]], bytes]


def _csv(lines: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()


def _csv_head(listing: Listing) -> bytes:
    return _csv([listing.cells])


def _csv_rows(listing: Listing, items: list[str]) -> bytes:
    cells = itemgetter(*listing.cells)
    return _csv([[_cell(value) for value in cells(_decode(item))] for item in items])


_decode = msgspec.json.Decoder().decode
# Values that the CSV writer turns into the right text; null is an empty cell.
_PLAIN = frozenset({int, float, NoneType})


def _cell(value: Any) -> Any:
    """Lists and objects are JSON within their cell."""
    if value.__class__ is str:
        return as_text(value)
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode()


def _ndjson_rows(_listing: Listing, items: list[str]) -> bytes:
    return "".join(f"{item}\n" for item in items).encode()


CSV = ExportFormat("csv", "CSV", "text/csv", _csv_head, _csv_rows)
FORMATS = (
    CSV,
    ExportFormat("ndjson", "NDJSON", "application/x-ndjson", lambda _listing: b"", _ndjson_rows),
)


@cache
def filters_only(query: type[PageQuery]) -> type[FilterQuery]:
    """The list's query without the paging parameters."""
    kept = own_parameters(query).keys() | query.exported
    own = [
        (field.name, field.type, msgspec.field(default=field.default, name=field.encode_name))
        for field in msgspec.structs.fields(query)
        if field.name in kept
    ]
    return msgspec.defstruct(  # type: ignore[return-value]
        f"{query.__name__.removesuffix('Query')}ExportQuery",
        own,
        bases=(FilterQuery,),
        namespace={
            "as_filters": staticmethod(query.as_filters),
            "not_filters": query.not_filters,
            "former_values": getattr(query, "former_values", {}),
        },
        frozen=True,
        kw_only=True,
    )


class _Exports:
    """The exports in progress in this process."""

    def __init__(self) -> None:
        self.page = asyncio.Lock()
        self._running: Counter[TenantId] = Counter()

    def refuse_more(self, tenant: TenantId) -> None:
        if self._running[tenant] >= MAX_PER_ORGANIZATION:
            raise TooManyRequests(
                f"{MAX_PER_ORGANIZATION} exports of this organization are running; wait for one to end.",
                retry_after=_RETRY_SECONDS,
            )

    @contextmanager
    def running(self, tenant: TenantId) -> Iterator[None]:
        self._running[tenant] += 1
        try:
            yield
        finally:
            self._running -= Counter({tenant: 1})


_EXPORTS = _Exports()


async def export(
    listing: Listing,
    form: ExportFormat,
    call: Call[Any, FilterQuery],
    *,
    parent_id: str | None = None,
    own: OwnOnly | None = None,
) -> StreamingResponse:
    filters = listing.filters(call.query, parent_id, own)
    order = listing.order(call.query, filters)
    return await export_rows(listing, form, call.db, call.caller.tenant, filters, own=own, order=order)


async def export_rows(
    listing: Listing,
    form: ExportFormat,
    db: Database,
    tenant: TenantId,
    filters: dict[str, Any],
    *,
    own: OwnOnly | None = None,
    order: Order | None = None,
    file_name: str | None = None,
) -> StreamingResponse:
    """`file_name` for a browser that should save the file, not show it."""

    async def pages() -> AsyncGenerator[bytes]:
        head, place = form.head(listing), None
        while True:
            found = await listing.scan(db, tenant, filters, place, _ROWS_AT_ONCE, order=order)
            if head or found.rows:
                yield head + form.rows(listing, [narrowed(listing.owned, row[1], own) for row in found.rows])
            full = len(found.rows) == _ROWS_AT_ONCE
            place = position_of(found.rows[-1], order) if full else found.reached
            if place is None:
                return
            head = b""

    return await stream_pages(pages(), tenant, form.media_type, file_name=file_name)


async def stream_pages(
    pages: AsyncGenerator[bytes], tenant: TenantId, media_type: str, *, file_name: str | None = None
) -> StreamingResponse:
    """Streams pages one by one.

    Between two pages it holds no connection and no lock, so a slow reader may take its time.
    """
    _EXPORTS.refuse_more(tenant)
    # The first page comes before the head is sent, so that a refusal still gets its own status.
    first = await _next_page(pages)
    _EXPORTS.refuse_more(tenant)
    headers = [("content-type", f"{media_type}; charset=utf-8")]
    if file_name is not None:
        headers.append(("content-disposition", f'attachment; filename="{file_name}"'))
    return StreamingResponse(headers, _chunks(tenant, first, pages))


async def _next_page(pages: AsyncGenerator[bytes]) -> bytes | None:
    async with _EXPORTS.page:
        return await anext(pages, None)


async def _chunks(
    tenant: TenantId, page: bytes | None, pages: AsyncGenerator[bytes]
) -> AsyncGenerator[bytes]:
    with _EXPORTS.running(tenant):
        async with aclosing(pages):
            while page is not None:
                yield page
                page = await _next_page(pages)
