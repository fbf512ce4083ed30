"""The routes of one kind of resource, which differ from the next kind's in little but their names.

A slice hands over its verbs, which all look alike:

    create(db, who, body) → record                       change(db, who, id, body, if_match) → record
    delete(db, who, id, if_match)                        move(db, who, id, body, if_match) → record

Where the resource has a parent, the verbs take the parent's identifier after `who`.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from steward.kit.db import records
from steward.kit.db.pagination import Listing, PageQuery
from steward.kit.db.table import Table
from steward.kit.http.export import FORMATS, ExportFormat, export, filters_only
from steward.kit.http.response import Response, StreamingResponse, created, deleted, one, page
from steward.kit.http.route import Call, Handler, NoBody, Route
from steward.kit.security.permissions import Permission

Creating = Callable[..., Awaitable[Any]]
Changing = Callable[..., Awaitable[Any]]
Deleting = Callable[..., Awaitable[object]]


class Parent(msgspec.Struct, frozen=True):
    """What the items of a resource lie in: `{id_name}` in its path names a record of `table`.

    The resource's own table and listing say which of their fields holds that identifier.
    """

    id_name: str
    table: Table[Any]


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """`path` ends where the list is; `{id_name}` stands for one of its items."""

    tag: str
    path: str
    id_name: str
    gives: Any
    example: Any
    listing: Listing
    read_permission: Permission
    write_permission: Permission
    # None where reading one takes more than a row of a table; the slice then brings its own handler.
    table: Table[Any] | None = None
    parent: Parent | None = None

    def list(self, summary: str, *, query: type[PageQuery] = PageQuery, **more: Any) -> Route:
        async def handler(call: Call[Any, PageQuery]) -> Response:
            found = await self.listing.page(
                call.db, call.cursors, call.caller.tenant, call.query, parent_id=self._parent_id(call)
            )
            if not found.items:  # an item proves that its parent is there
                await self._require_parent(call)
            return page(found)

        return self._route("GET", self.path, handler, summary, query=query, shape="page", **more)

    def exports(self, plural: str, *, query: type[PageQuery] = PageQuery, **more: Any) -> tuple[Route, ...]:
        """The whole list as one file, for data warehouses: `…/{plural}.csv` and `.ndjson`, with the list's filters."""

        async def handler(form: ExportFormat, call: Call[Any, Any]) -> StreamingResponse:
            await self._require_parent(call)
            return await export(self.listing, form, call, parent_id=self._parent_id(call))

        return tuple(
            self._route(
                "GET",
                f"{self.path}.{form.suffix}",
                partial(handler, form),
                f"Export {plural} as {form.title}",
                query=filters_only(query),
                shape="stream",
                media_type=form.media_type,
                example=None,
                **more,
            )
            for form in FORMATS
        )

    def create(self, action: Creating, summary: str, *, body: type[msgspec.Struct], **more: Any) -> Route:
        async def handler(call: Call[Any, Any]) -> Response:
            record = await action(call.db, call.caller, *self._within(call), call.body)
            return created(record, self._location(call, record))

        return self._route("POST", self.path, handler, summary, body=body, **{"status": 201, **more})

    def read(self, summary: str, *, handler: Handler | None = None, **more: Any) -> Route:
        async def from_table(call: Call[Any, Any]) -> Response:
            assert self.table is not None  # noqa: S101 (a resource without one brings its own handler)
            id, within = call.params[self.id_name], self._parent_id(call)
            return one(await records.show(call.db, self.table, call.caller.tenant, id, within=within))

        return self._route("GET", self._one, handler or from_table, summary, **more)

    def change(self, action: Changing, summary: str, *, body: type[msgspec.Struct], **more: Any) -> Route:
        return self._route("PATCH", self._one, self._changing(action), summary, body=body, **more)

    def move(
        self, verb: str, action: Changing, summary: str, *, body: type[msgspec.Struct] = NoBody, **more: Any
    ) -> Route:
        more = {"refusals": {409: "Not in this state; the message names the moves that are allowed."}, **more}
        path = f"{self._one}/{verb}"
        return self._route("POST", path, self._changing(action), summary, body=body, move=True, **more)

    def delete(self, action: Deleting, summary: str, **more: Any) -> Route:
        async def handler(call: Call[Any, Any]) -> Response:
            id = call.params[self.id_name]
            await action(call.db, call.caller, *self._within(call), id, call.if_match)
            return deleted()

        return self._route("DELETE", self._one, handler, summary, **{"shape": "deleted", **more})

    def _changing(self, action: Changing) -> Handler:
        async def handler(call: Call[Any, Any]) -> Response:
            id = call.params[self.id_name]
            found = await action(call.db, call.caller, *self._within(call), id, call.body, call.if_match)
            return one(found)

        return handler

    def _parent_id(self, call: Call[Any, Any]) -> str | None:
        return None if self.parent is None else call.params[self.parent.id_name]

    def _within(self, call: Call[Any, Any]) -> tuple[str, ...]:
        return () if self.parent is None else (call.params[self.parent.id_name],)

    async def _require_parent(self, call: Call[Any, Any]) -> None:
        """404 when the path names a parent that isn't there."""
        if self.parent is not None:
            id = call.params[self.parent.id_name]
            await records.get(call.db, self.parent.table, call.caller.tenant, id)

    @property
    def _one(self) -> str:
        return f"{self.path}/{{{self.id_name}}}"

    def _location(self, call: Call[Any, Any], record: Any) -> str:
        filled = self.path.format(orgId=call.caller.tenant, **call.params)
        return f"{filled}/{getattr(record, record.__struct_fields__[0])}"

    def _route(self, method: str, path: str, handler: Handler, summary: str, **more: Any) -> Route:
        values: dict[str, Any] = {
            "permission": self.read_permission if method == "GET" else self.write_permission,
            "gives": self.gives,
            "example": self.example,
            **more,
        }
        return Route(method=method, path=path, handler=handler, tag=self.tag, summary=summary, **values)
