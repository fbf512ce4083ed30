"""The routes of one kind of resource, which differ from the next kind's in little but their names.

A slice hands over its verbs, which all look alike (`kit.http.verbs`). Where the resource has a parent, they take the parent's
identifier after `who`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, Unpack, cast

import msgspec

from steward.kit.db.pagination import Listing
from steward.kit.db.table import Table
from steward.kit.domain.list_query import PageQuery
from steward.kit.http.export import FORMATS, ExportFormat, export, filters_only
from steward.kit.http.own_records import Narrow, find_one, find_page, kept_to
from steward.kit.http.parents import Parent, require_parent
from steward.kit.http.response import Response, StreamingResponse, created, deleted, one, page
from steward.kit.http.route import Call, Handler, NoBody, Route, RouteOptions
from steward.kit.http.sortable import sortable
from steward.kit.http.verbs import (
    ChangeVerb,
    ChangeWithinVerb,
    CreateVerb,
    CreateWithinVerb,
    DeleteVerb,
    DeleteWithinVerb,
    MoveVerb,
    MoveWithinVerb,
)
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Need

B = TypeVar("B", bound=msgspec.Struct)


class Resource(msgspec.Struct, frozen=True, kw_only=True):
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
    # Its verbs take `now` in milliseconds, the unit of its times.
    milliseconds: bool = False

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
            if not found.items or self._kept(call):  # else an item proves that its parent is there
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
            own = kept_to(call, self.read_permission, table)
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

    def create(
        self,
        action: CreateVerb[B] | CreateWithinVerb[B],
        operation_id: str,
        summary: str,
        *,
        body: type[B],
        **options: Unpack[RouteOptions],
    ) -> Route:
        act = cast(Any, action)

        async def handler(call: Call[Any, Any]) -> Response:
            record = await act(call.db, call.caller, *self._within(call), call.body, now=self._now(call))
            location = self._location(call, record)
            return created(self.shown(call, record), location, request_id=call.request_id)

        options.setdefault("status", 201)
        return self._route("POST", self.path, handler, operation_id, summary, body=body, **options)

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
            if self._kept(call):
                await self._require_parent(call)
            id, table = call.params[self.id_name], self._read_from(call)[0] or self.table
            found = await find_one(call, table, self.read_permission, id, self._parent_id(call))
            return one(found, request_id=call.request_id)

        return self._route("GET", self._one, handler or from_table, operation_id, summary, **options)

    def change(
        self,
        action: ChangeVerb[B] | ChangeWithinVerb[B],
        operation_id: str,
        summary: str,
        *,
        body: type[B],
        **options: Unpack[RouteOptions],
    ) -> Route:
        handler = self._changing(action, takes_body=True)
        return self._route("PATCH", self._one, handler, operation_id, summary, body=body, **options)

    def move(
        self,
        verb: str,
        action: MoveVerb | MoveWithinVerb,
        operation_id: str,
        summary: str,
        **options: Unpack[RouteOptions],
    ) -> Route:
        """`POST …/{id}/verb`, without a body."""
        handler = self._changing(action, takes_body=False)
        return self._move(verb, handler, operation_id, summary, NoBody, options)

    def move_with(
        self,
        verb: str,
        action: ChangeVerb[B] | ChangeWithinVerb[B],
        operation_id: str,
        summary: str,
        *,
        body: type[B],
        **options: Unpack[RouteOptions],
    ) -> Route:
        """The same for a move that is told something, such as a reason. One with the status 201 makes another record."""
        handler = self._changing(action, takes_body=True, makes=options.get("status") == 201)
        return self._move(verb, handler, operation_id, summary, body, options)

    def _move(
        self,
        verb: str,
        handler: Handler,
        operation_id: str,
        summary: str,
        body: type[msgspec.Struct],
        options: RouteOptions,
    ) -> Route:
        options.setdefault(
            "refusals", {409: "Not in this state; the message names the moves that are allowed."}
        )
        path = f"{self._one}/{verb}"
        return self._route("POST", path, handler, operation_id, summary, body=body, move=True, **options)

    def delete(
        self,
        action: DeleteVerb | DeleteWithinVerb,
        operation_id: str,
        summary: str,
        **options: Unpack[RouteOptions],
    ) -> Route:
        act = cast(Any, action)

        async def handler(call: Call[Any, Any]) -> Response:
            id = call.params[self.id_name]
            await act(
                call.db,
                call.caller,
                *self._within(call),
                id,
                precondition=call.precondition,
                now=self._now(call),
            )
            return deleted(request_id=call.request_id)

        options.setdefault("shape", "deleted")
        return self._route("DELETE", self._one, handler, operation_id, summary, **options)

    def _changing(self, action: object, *, takes_body: bool, makes: bool = False) -> Handler:
        act = cast(Any, action)

        async def handler(call: Call[Any, Any]) -> Response:
            body = (call.body,) if takes_body else ()
            found = await act(
                call.db,
                call.caller,
                *self._within(call),
                call.params[self.id_name],
                *body,
                precondition=call.precondition,
                now=self._now(call),
            )
            if makes:
                return created(found, self._location(call, found), request_id=call.request_id)
            return one(self.shown(call, found), request_id=call.request_id)

        return handler

    def shown(self, call: Call[Any, Any], record: Any) -> Any:
        """What the caller sees of a record that they made or changed."""
        own = kept_to(call, self.read_permission, self.table)
        return record if self.table is None else self.table.narrowed(record, own)

    def _now(self, call: Call[Any, Any]) -> int:
        return call.now_ms if self.milliseconds else call.now

    def _parent_id(self, call: Call[Any, Any]) -> str | None:
        return None if self.parent is None else call.params[self.parent.id_name]

    def _within(self, call: Call[Any, Any]) -> tuple[str, ...]:
        return () if self.parent is None else (call.params[self.parent.id_name],)

    async def _require_parent(self, call: Call[Any, Any]) -> None:
        if self.parent is not None:
            await require_parent(call, self.parent, self.read_permission)

    def _read_from(self, call: Call[Any, Any]) -> tuple[Table[Any] | None, Listing]:
        if self.narrow is not None and self._kept(call):
            return self.narrow.table, self.narrow.listing
        return self.table, self.listing

    def _kept(self, call: Call[Any, Any]) -> bool:
        return call.caller.kept_to(self.read_permission) is not None

    @property
    def _one(self) -> str:
        return f"{self.path}/{{{self.id_name}}}"

    def _location(self, call: Call[Any, Any], record: Any) -> str:
        filled = self.path.format(orgId=call.caller.tenant, **call.params)
        return f"{filled}/{getattr(record, record.__struct_fields__[0])}"

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
