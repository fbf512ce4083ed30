"""A whole list as one stream, in the memory of one page."""

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable
from functools import cache
from typing import Any

import msgspec

from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.http.answer import Streaming
from steward.kit.http.route import Call
from steward.kit.ids import AFTER_ALL
from steward.kit.page import FilterQuery, Listing, PageQuery
from steward.kit.sql import Row

_ROWS_AT_ONCE = 1000


class Form(msgspec.Struct, frozen=True):
    """How rows look in the file: a head, then one piece per page."""

    suffix: str
    title: str
    media_type: str
    head: Callable[[Listing], bytes]
    rows: Callable[[Listing, list[Row]], bytes]


def _csv_line(values: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()


def _csv_head(listing: Listing) -> bytes:
    return _csv_line(listing.columns).encode()


def _csv_rows(listing: Listing, rows: list[Row]) -> bytes:
    decoded = (msgspec.json.decode(row[1]) for row in rows)
    return "".join(_csv_line(_cell(item[name]) for name in listing.columns) for item in decoded).encode()


def _cell(value: Any) -> Any:
    """Nothing is an empty cell; what has parts is JSON within its cell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    return value


def _ndjson_rows(_listing: Listing, rows: list[Row]) -> bytes:
    return "".join(f"{row[1]}\n" for row in rows).encode()


FORMS = (
    Form("csv", "CSV", "text/csv", _csv_head, _csv_rows),
    Form("ndjson", "NDJSON", "application/x-ndjson", lambda _listing: b"", _ndjson_rows),
)


@cache
def filters_only(query: type[PageQuery]) -> type[FilterQuery]:
    """The list's query without the parameters of paging."""
    own = [
        (field.name, field.type, field.default)
        for field in msgspec.structs.fields(query)
        if field.name not in PageQuery.__struct_fields__
    ]
    name = f"{query.__name__.removesuffix('Query')}ExportQuery"
    return msgspec.defstruct(name, own, bases=(FilterQuery,), frozen=True, kw_only=True)  # type: ignore[return-value]


async def export(
    listing: Listing, form: Form, call: Call[Any, FilterQuery], *, parent_id: str | None = None
) -> Streaming:
    filters = listing.filters(call.query, parent_id)
    # Read before anything is sent, so that a refusal is still an answer with its own status.
    first = await listing.rows(call.db, call.caller.tenant, filters, AFTER_ALL, _ROWS_AT_ONCE)
    return Streaming(
        [("content-type", f"{form.media_type}; charset=utf-8")],
        _chunks(listing, form, call.db, call.caller.tenant, filters=filters, rows=first),
    )


async def _chunks(
    listing: Listing, form: Form, db: Database, tenant: TenantId, *, filters: dict[str, Any], rows: list[Row]
) -> AsyncIterator[bytes]:
    """Page by page, so that no transaction stays open for as long as a slow reader takes."""
    yield form.head(listing)
    while rows:
        yield form.rows(listing, rows)
        if len(rows) < _ROWS_AT_ONCE:
            return
        rows = await listing.rows(db, tenant, filters, rows[-1][0], _ROWS_AT_ONCE)
