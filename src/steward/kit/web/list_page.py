"""A list with filters, search, sort, columns to choose, pages and a CSV link; every list uses it.

It is the list of the API: the same statement, filters and cursor.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from steward.kit.db.listing import Listing
from steward.kit.db.lookup import Lookup
from steward.kit.domain.list_query import PageQuery
from steward.kit.http.decoding import convert_query
from steward.kit.http.export import CSV, export_rows
from steward.kit.http.response import StreamingResponse
from steward.kit.security.caller import Caller, OwnOnly
from steward.kit.security.permissions import Need
from steward.kit.web.columns import Column, table_rows
from steward.kit.web.form import SubmittedForm
from steward.kit.web.list_filters import ListFilter
from steward.kit.web.page import PageRequest, View, WebPage

R = TypeVar("R", bound=msgspec.Struct)
Names = dict[str, dict[str, str]]


# Reads what the cells and the template need in addition to the records.
Context = Callable[[PageRequest[Any, Any], list[Any]], Awaitable[msgspec.Struct]]


class EmptyState(msgspec.Struct, frozen=True):
    """Shown while the list is empty: a title and the next step."""

    title: str
    text: str


class ListView(msgspec.Struct, frozen=True, kw_only=True):
    """What the template of a list shows."""

    list: "ListPage[Any]"
    rows: Markup
    columns: tuple[Column, ...]
    names: Names
    arguments: Mapping[str, str]
    # Builds the list's address with changed arguments.
    address: Callable[..., str]
    filtered: bool
    next_page: str | None
    first_page: bool
    own_only: bool
    list_title: str
    new_label: str | None
    may_write: bool
    form: SubmittedForm[Any]
    context: Any


class ListPage(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """`tabs` names the filter that is shown as tabs above the list; `context` is for the cells and the template of a slice."""

    path: str
    title: str
    listing: Listing
    record: type[R]
    query: type[PageQuery]
    permission: Need
    columns: tuple[Column, ...]
    empty: EmptyState
    filters: tuple[ListFilter, ...] = ()
    tabs: str | None = None
    search: str | None = None
    template: str = "web/list.html"
    results: str = "web/list_results.html"
    # The topic whose changes refresh the list.
    live: str = ""
    # The permission to create a record, and the label of the button.
    write_permission: Need | None = None
    new: str | None = None
    # The list for viewers with the narrower permission, if it has other rows.
    narrow_listing: Listing | None = None
    # Title and button for viewers with the narrower permission.
    own_title: str | None = None
    own_new: str | None = None
    context: Context | None = None
    # Narrows the query to what the viewer may see, as in `kit/http/resource.py`.
    narrowed: Callable[[Caller, Any], Any] | None = None

    def pages(self) -> tuple[WebPage, ...]:
        return (
            WebPage("GET", self.path, self.show, self.permission),
            WebPage("GET", f"{self.path}.csv", self.csv, self.permission, from_replica=True),
        )

    async def show(self, request: PageRequest[Any, Any]) -> View:
        query = self._query(request)
        found = await self._listing(request).page(
            request.db,
            request.cursors,
            request.caller.tenant,
            self._visible(request, query),
            own=self._kept(request),
        )
        rows = msgspec.json.decode(f"[{','.join(found.items)}]", type=list[self.record])  # type: ignore[name-defined]
        columns, kept = self._columns(request), self._keeps_to_own(request)
        names = await self._names(request, rows, columns)
        context = await self.context(request, rows) if self.context else None
        address = self.address(request)
        view = ListView(
            list=self,
            rows=table_rows(rows, columns, names, request, path=self.path, here=address(), context=context),
            columns=columns,
            names=names,
            arguments=request.arguments,
            address=address,
            filtered=query.narrows(),
            next_page=found.last_evaluated_key,
            first_page=query.last_evaluated_key is None,
            own_only=kept,
            list_title=(self.own_title if kept else None) or self.title,
            new_label=(self.own_new if kept else None) or self.new,
            may_write=self.write_permission is not None and request.may(self.write_permission),
            form=request.form,
            context=context,
        )
        return View(self.template, view, fragments={"results": self.results})

    async def csv(self, request: PageRequest[Any, Any]) -> StreamingResponse:
        """All rows of the list, in the order of the page."""
        listing, own = self._listing(request), self._kept(request)
        query = self._visible(request, self._query(request))
        filters = listing.filters(query, None, own)
        order = listing.order(query, filters)
        name = self.path.rpartition("/")[2]
        tenant = request.caller.tenant
        return await export_rows(
            listing, CSV, request.db, tenant, filters, own=own, order=order, file_name=f"{name}.csv"
        )

    def address(self, request: PageRequest[Any, Any]) -> Callable[..., str]:
        """Builds the list's address with changed arguments: None removes one. Changed filters start at the first page."""

        def to(path: str = self.path, /, **changes: Any) -> str:
            kept = {k: v for k, v in request.arguments.items() if k != "lastEvaluatedKey"}
            arguments = {k: v for k, v in {**kept, **changes}.items() if v not in (None, "")}
            return f"{path}?{urlencode(arguments)}" if arguments else path

        return to

    def _kept(self, request: PageRequest[Any, Any]) -> OwnOnly | None:
        listing = self.narrow_listing or self.listing
        return request.caller.own_records_only(self.permission) if listing.owned is not None else None

    def _keeps_to_own(self, request: PageRequest[Any, Any]) -> bool:
        owned = self._listing(request).owned
        return self._kept(request) is not None and owned is not None and owned.kept_by is not None

    def _listing(self, request: PageRequest[Any, Any]) -> Listing:
        return self.listing if self._kept(request) is None else self.narrow_listing or self.listing

    def _visible(self, request: PageRequest[Any, Any], query: PageQuery) -> PageQuery:
        return query if self.narrowed is None else self.narrowed(request.caller, query)

    def _query(self, request: PageRequest[Any, Any]) -> PageQuery:
        query: PageQuery = convert_query(self.query, self._given(request))
        return query

    def _given(self, request: PageRequest[Any, Any]) -> dict[str, str]:
        """The parameters of the list's query, from the address."""
        known = self.query.__struct_encode_fields__
        given = {name: value for name, value in request.arguments.items() if name in known}
        for filter in self.filters:
            if text := request.arguments.get(filter.name):
                given |= filter.parameters(text, request.zone, request.caller.user)
        return given

    def _columns(self, request: PageRequest[Any, Any]) -> tuple[Column, ...]:
        chosen = request.arguments.get("columns", "").split(",")
        columns = [c for c in self.columns if c.permission is None or request.may(c.permission)]
        known = any(column.field in chosen for column in columns if not column.is_control)
        return tuple(c for c in columns if c.is_control or (c.field in chosen if known else c.shown))

    async def _names(
        self, request: PageRequest[Any, Any], rows: list[R], columns: tuple[Column, ...]
    ) -> Names:
        """Reads the names of referred records with one query per kind."""
        wanted: dict[str, tuple[Lookup, list[str | None]]] = {}
        for column in columns:
            if column.lookup is not None:
                ids = wanted.setdefault(column.lookup.kind, (column.lookup, []))[1]
                for row in rows:
                    value = getattr(row, column.field)
                    ids += value if isinstance(value, list) else [value]
        for filter in self.filters:
            if filter.lookup is not None and (given := request.arguments.get(filter.name)):
                wanted.setdefault(filter.lookup.kind, (filter.lookup, []))[1].extend(given.split(","))
        return {
            kind: await lookup.names(request.db, request.caller.tenant, ids)
            for kind, (lookup, ids) in wanted.items()
        }
