"""The routes of one kind of resource, which differ from the next kind's in little but their names.

A slice hands over its verbs, which all look alike (`kit.http.verbs`).
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, Unpack

import msgspec

from steward.kit.http.own_records import own_records_only
from steward.kit.http.readable import ReadableResource
from steward.kit.http.response import Response, created, deleted, one
from steward.kit.http.route import Call, Handler, NoBody, Route, RouteOptions
from steward.kit.http.verbs import ChangeVerb, CreateVerb, MoveVerb
from steward.kit.records.context import Context, Target

B = TypeVar("B", bound=msgspec.Struct)


class Resource(ReadableResource, frozen=True, kw_only=True):
    def create(
        self,
        action: CreateVerb[B],
        operation_id: str,
        summary: str,
        *,
        body: type[B],
        **options: Unpack[RouteOptions],
    ) -> Route:
        async def handler(call: Call[Any, Any]) -> Response:
            record = await action(self.context(call), call.body)
            location = self._location(call, record)
            return created(self.shown(call, record), location, request_id=call.request_id)

        options.setdefault("status", 201)
        return self._route("POST", self.path, handler, operation_id, summary, body=body, **options)

    def change(
        self,
        action: ChangeVerb[B],
        operation_id: str,
        summary: str,
        *,
        body: type[B],
        **options: Unpack[RouteOptions],
    ) -> Route:
        handler = self._changing(lambda call: action(self.target(call), call.body))
        return self._route("PATCH", self._one, handler, operation_id, summary, body=body, **options)

    def move(
        self,
        verb: str,
        action: MoveVerb,
        operation_id: str,
        summary: str,
        **options: Unpack[RouteOptions],
    ) -> Route:
        """`POST …/{id}/verb`, without a body."""
        handler = self._changing(lambda call: action(self.target(call)))
        return self._move(verb, handler, operation_id, summary, NoBody, options)

    def move_with(
        self,
        verb: str,
        action: ChangeVerb[B],
        operation_id: str,
        summary: str,
        *,
        body: type[B],
        **options: Unpack[RouteOptions],
    ) -> Route:
        """A move with a request body, such as a reason. One with the status 201 makes another record."""
        makes = options.get("status") == 201
        handler = self._changing(lambda call: action(self.target(call), call.body), makes=makes)
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
        action: MoveVerb,
        operation_id: str,
        summary: str,
        **options: Unpack[RouteOptions],
    ) -> Route:
        async def handler(call: Call[Any, Any]) -> Response:
            await action(self.target(call))
            return deleted(request_id=call.request_id)

        options.setdefault("shape", "deleted")
        return self._route("DELETE", self._one, handler, operation_id, summary, **options)

    def _changing(self, act: Callable[[Call[Any, Any]], Awaitable[Any]], *, makes: bool = False) -> Handler:
        async def handler(call: Call[Any, Any]) -> Response:
            found = await act(call)
            if makes:
                return created(found, self._location(call, found), request_id=call.request_id)
            return one(self.shown(call, found), request_id=call.request_id)

        return handler

    def shown(self, call: Call[Any, Any], record: Any) -> Any:
        """What the caller sees of a record that they made or changed."""
        own = own_records_only(call, self.read_permission, self.table)
        return record if self.table is None else self.table.narrowed(record, own)

    def context(self, call: Call[Any, Any]) -> Context:
        return Context(call.db, call.caller, call.now_ms, self._parent_id(call))

    def target(self, call: Call[Any, Any]) -> Target:
        id = call.params[self.id_name]
        return self.context(call).on(id, call.precondition, within=self._parent_id(call))

    def _location(self, call: Call[Any, Any], record: Any) -> str:
        filled = self.path.format(orgId=call.caller.tenant, **call.params)
        return f"{filled}/{getattr(record, record.__struct_fields__[0])}"
