"""The routes that read one kind of resource: its list, exports of it, and one record."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Unpack

import msgspec

from steward.kit.db.listing import Listing
from steward.kit.db.table import Table
from steward.kit.domain.list_query import PageQuery, SortedPageQuery, sorted_by
from steward.kit.domain.wording import with_article
from steward.kit.http.export import FORMATS, ExportFormat, export, filters_only
from steward.kit.http.own_records import Narrow, find_one, find_page, own_records_only
from steward.kit.http.response import Response, StreamingResponse, one, page
from steward.kit.http.route import Call, Route, RouteOptions, camel_case
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Need

ExportHandler = Callable[[ExportFormat, Call[Any, Any]], Awaitable[StreamingResponse]]


class ReadableResource(msgspec.Struct, kw_only=True):
    """`path` ends where the list is; `{id_name}` stands for one of its items.

    Summaries are made of `noun` and `plural`, and operations are named after their summaries.
    """

    path: str
    example: Any
    listing: Listing
    query: type[PageQuery] = PageQuery
    read_permission: Need
    write_permission: Need
    # None where reading one takes more than a row of a table; the slice then brings its own handler.
    table: Table[Any] | None = None
    # What callers with the narrower permission read, where it isn't a part of the same rows.
    narrow: Narrow | None = None
    # The kind of record that these belong to, where their path names one.
    parent: "ReadableResource | None" = None
    # Narrows what is asked for to what the caller may see, where the permission to read some is not one to read all.
    narrowed: Callable[[Caller, Any], Any] = lambda _caller, query: query
    # These follow from the table and from each other where they aren't given.
    gives: Any = None
    noun: str = ""
    plural: str = ""
    tag: str = ""
    id_name: str = ""

    def __post_init__(self) -> None:
        if self.table is not None and self.gives is None:
            self.gives = self.table.record
        noun = self.table.noun if self.table else self.noun
        self.noun = self.noun or noun
        self.plural = self.plural or f"{self.noun}s"
        self.tag = self.tag or (self.parent.tag if self.parent else self.plural[0].upper() + self.plural[1:])
        self.id_name = self.id_name or f"{camel_case(noun)}Id"

    @property
    def a_noun(self) -> str:
        return with_article(self.noun)

    @property
    def item(self) -> str:
        """The path of one of them, below that of the list."""
        return f"/{{{self.id_name}}}"

    def reads(self) -> tuple[Route, ...]:
        return (self.list(), *self.exports(), self.read())

    def list(self, **options: Unpack[RouteOptions]) -> Route:
        async def handler(call: Call[Any, PageQuery]) -> Response:
            call.query = self.narrowed(call.caller, call.query)
            table, listing = self._read_from(call)
            found = await find_page(call, listing, table, self.read_permission, self._parent_id(call))
            if not found.items or self._own_only(call):  # else an item proves that its parent is there
                await self._require_parent(call)
            return page(found, request_id=call.request_id)

        defaults = RouteOptions(
            summary=f"List {self.plural}",
            handler=handler,
            query=sortable(self.query, self.listing),
            shape="page",
        )
        if self.listing.sorts:
            sorts = ", ".join(f"`{name}`" for name in self.listing.sorts)
            options["description"] = f"{options.get('description', '')} Can be sorted by {sorts}.".strip()
        return self.route("GET", "", **(defaults | options))

    def exports(
        self, handler: ExportHandler | None = None, /, **options: Unpack[RouteOptions]
    ) -> tuple[Route, ...]:
        """The whole list as one file, for data warehouses: `.csv` and `.ndjson`, with the list's filters and its sort."""

        async def from_listing(form: ExportFormat, call: Call[Any, Any]) -> StreamingResponse:
            call.query = self.narrowed(call.caller, call.query)
            await self._require_parent(call)
            table, listing = self._read_from(call)
            own = own_records_only(call, self.read_permission, table)
            return await export(listing, form, call, parent_id=self._parent_id(call), own=own)

        def of(form: ExportFormat) -> Route:
            defaults = RouteOptions(
                summary=f"Export {self.plural} as {form.title}",
                handler=partial(handler or from_listing, form),
                query=filters_only(sortable(self.query, self.listing)),
                media_type=form.media_type,
                shape="stream",
                example=None,
                from_replica=True,
            )
            return self.route("GET", f".{form.suffix}", **(defaults | options))

        return tuple(map(of, FORMATS))

    def read(self, **options: Unpack[RouteOptions]) -> Route:
        async def handler(call: Call[Any, Any]) -> Response:
            assert self.table is not None  # noqa: S101 (a resource without one brings its own handler)
            if self._own_only(call):
                await self._require_parent(call)
            id, table = call.params[self.id_name], self._read_from(call)[0] or self.table
            found = await find_one(call, table, self.read_permission, id, self._parent_id(call))
            return one(found, request_id=call.request_id)

        defaults = RouteOptions(summary=f"Read {self.a_noun}", handler=handler)
        return self.route("GET", self.item, **(defaults | options))

    def route(self, method: str, below: str, **options: Unpack[RouteOptions]) -> Route:
        """`below` is what follows the path of the list."""
        stores = "body" in options and not options.get("move")
        values: dict[str, Any] = {
            "tag": self.tag,
            "permission": self.read_permission if method == "GET" else self.write_permission,
            "gives": self.gives,
            "example": self.example,
            "stored_in": self.table.name if self.table and stores else None,
            **options,
        }
        return Route(method=method, path=f"{self.path}{below}", **values)

    def _parent_id(self, call: Call[Any, Any]) -> str | None:
        return None if self.parent is None else call.params[self.parent.id_name]

    async def _require_parent(self, call: Call[Any, Any]) -> None:
        """404 when the parent doesn't exist, or this caller may not see it."""
        if self.parent is not None:
            id, table = call.params[self.parent.id_name], self.parent.table
            assert table is not None  # noqa: S101 (whatever has items of its own is read from a table)
            own = own_records_only(call, self.read_permission, table)
            await records.get(call.db, table, call.caller.tenant, id, own=own)

    def _read_from(self, call: Call[Any, Any]) -> tuple[Table[Any] | None, Listing]:
        if self.narrow is not None and self._own_only(call):
            return self.narrow.table, self.narrow.listing
        return self.table, self.listing

    def _own_only(self, call: Call[Any, Any]) -> bool:
        return call.caller.own_records_only(self.read_permission) is not None


def sortable(query: type[PageQuery], listing: Listing) -> type[PageQuery]:
    """With the list's sorts, so that the document shows them too."""
    if not listing.sorts or not issubclass(query, SortedPageQuery):
        return query
    noun = "".join(word.capitalize() for word in listing.name.split("_"))
    return sorted_by(query, noun, tuple(listing.sorts), tuple(listing.former_sorts.items()))  # type: ignore[no-any-return]
