"""The routes that read one kind of resource: its list, exports of it, and one record."""

from collections.abc import Callable
from functools import partial
from typing import Any, Unpack

import msgspec

from steward.kit.db.listing import Listing
from steward.kit.db.table import Table
from steward.kit.domain.list_query import PageQuery
from steward.kit.http.export import FORMATS, ExportFormat, export, filters_only
from steward.kit.http.own_records import Narrow, find_one, find_page, own_records_only
from steward.kit.http.parents import Parent, require_parent
from steward.kit.http.response import Response, StreamingResponse, one, page
from steward.kit.http.route import Call, Handler, Route, RouteOptions
from steward.kit.http.sortable import sortable
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Need


class ReadableResource(msgspec.Struct, frozen=True, kw_only=True):
    """`path` ends where the list is; `{id_name}` stands for one of its items."""

    tag: str
    path: str
    id_name: str
    gives: Any
    example: Any
    listing: Listing
    read_permission: Need
    write_permission: Need
    # None where reading one takes more than a row of a table; the slice then brings its own handler.
    table: Table[Any] | None = None
    # What callers with the narrower permission read, where it isn't a part of the same rows.
    narrow: Narrow | None = None
    parent: Parent | None = None
    # Narrows what is asked for to what the caller may see, where the permission to read some is not one to read all.
    narrowed: Callable[[Caller, Any], Any] = lambda _caller, query: query

    def list(
        self,
        operation_id: str,
        summary: str,
        *,
        query: type[PageQuery] = PageQuery,
        handler: Handler | None = None,
        **options: Unpack[RouteOptions],
    ) -> Route:
        async def from_listing(call: Call[Any, PageQuery]) -> Response:
            call.query = self.narrowed(call.caller, call.query)
            table, listing = self._read_from(call)
            found = await find_page(call, listing, table, self.read_permission, self._parent_id(call))
            if not found.items or self._own_only(call):  # else an item proves that its parent is there
                await self._require_parent(call)
            return page(found, request_id=call.request_id)

        options.setdefault("shape", "page")
        if self.listing.sorts:
            sorts = ", ".join(f"`{name}`" for name in self.listing.sorts)
            options["description"] = f"{options.get('description', '')} Can be sorted by {sorts}.".strip()
        asked, handler = sortable(query, self.listing), handler or from_listing
        return self._route("GET", self.path, handler, operation_id, summary, query=asked, **options)

    def exports(
        self,
        operation_id: str,
        plural: str,
        *,
        query: type[PageQuery] = PageQuery,
        **options: Unpack[RouteOptions],
    ) -> tuple[Route, ...]:
        """The whole list as one file, for data warehouses: `…/{plural}.csv` and `.ndjson`, with the list's filters and its sort."""

        async def handler(form: ExportFormat, call: Call[Any, Any]) -> StreamingResponse:
            call.query = self.narrowed(call.caller, call.query)
            await self._require_parent(call)
            table, listing = self._read_from(call)
            own = own_records_only(call, self.read_permission, table)
            return await export(listing, form, call, parent_id=self._parent_id(call), own=own)

        options |= {"shape": "stream", "example": None, "from_replica": True}
        return tuple(
            self._route(
                "GET",
                f"{self.path}.{form.suffix}",
                partial(handler, form),
                f"{operation_id}As{form.suffix.capitalize()}",
                f"Export {plural} as {form.title}",
                query=filters_only(sortable(query, self.listing)),
                media_type=form.media_type,
                **options,
            )
            for form in FORMATS
        )

    def read(
        self,
        operation_id: str,
        summary: str,
        *,
        handler: Handler | None = None,
        **options: Unpack[RouteOptions],
    ) -> Route:
        async def from_table(call: Call[Any, Any]) -> Response:
            assert self.table is not None  # noqa: S101 (a resource without one brings its own handler)
            if self._own_only(call):
                await self._require_parent(call)
            id, table = call.params[self.id_name], self._read_from(call)[0] or self.table
            found = await find_one(call, table, self.read_permission, id, self._parent_id(call))
            return one(found, request_id=call.request_id)

        return self._route("GET", self._one, handler or from_table, operation_id, summary, **options)

    def _parent_id(self, call: Call[Any, Any]) -> str | None:
        return None if self.parent is None else call.params[self.parent.id_name]

    async def _require_parent(self, call: Call[Any, Any]) -> None:
        if self.parent is not None:
            await require_parent(call, self.parent, self.read_permission)

    def _read_from(self, call: Call[Any, Any]) -> tuple[Table[Any] | None, Listing]:
        if self.narrow is not None and self._own_only(call):
            return self.narrow.table, self.narrow.listing
        return self.table, self.listing

    def _own_only(self, call: Call[Any, Any]) -> bool:
        return call.caller.own_records_only(self.read_permission) is not None

    @property
    def _one(self) -> str:
        return f"{self.path}/{{{self.id_name}}}"

    def _route(
        self, method: str, path: str, handler: Handler, operation_id: str, summary: str, **fields: Any
    ) -> Route:
        values: dict[str, Any] = {
            "method": method,
            "path": path,
            "handler": handler,
            "permission": self.read_permission if method == "GET" else self.write_permission,
            "gives": self.gives,
            "example": self.example,
            **fields,
        }
        if self.table is not None and "body" in fields and not fields.get("move"):
            values["stored_in"] = self.table.name
        return Route(tag=self.tag, operation_id=operation_id, summary=summary, **values)
