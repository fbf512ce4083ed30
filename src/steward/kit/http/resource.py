"""The routes of one kind of resource, which differ from the next kind's in little but their names.

A slice hands over its verbs, which all look alike (`kit.http.verbs`).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, Unpack

import msgspec

from steward.kit.domain.csv_rows import MAX_ROWS, ImportQuery, ImportReport
from steward.kit.http.own_records import own_records_only
from steward.kit.http.readable import ReadableResource
from steward.kit.http.response import Response, deleted, one, plain
from steward.kit.http.route import Call, Route, RouteOptions, camel_case
from steward.kit.http.server.exchange import LARGE_BODY
from steward.kit.http.verbs import ChangeVerb, CreateVerb, ImportVerb, MoveVerb
from steward.kit.records.context import Context, Target

B = TypeVar("B", bound=msgspec.Struct)


class Resource(ReadableResource, kw_only=True):
    # What of a record makes its validator, where that isn't all of it.
    versioned_part: Callable[[Any], Any] = lambda _record: None

    def create(self, action: CreateVerb[B], body: type[B], /, **options: Unpack[RouteOptions]) -> Route:
        options = RouteOptions(summary=f"Create {self.a_noun}", status=201, body=body) | options
        return self._giving("POST", "", lambda call: action(self.context(call), call.body), options)

    def change(self, action: ChangeVerb[B], body: type[B], /, **options: Unpack[RouteOptions]) -> Route:
        options = RouteOptions(summary=f"Change {self.a_noun}", body=body) | options
        return self._giving("PATCH", self.item, lambda call: action(self.target(call), call.body), options)

    def move(self, verb: str, action: MoveVerb, **options: Unpack[RouteOptions]) -> Route:
        """`POST …/{id}/verb`, without a body."""
        return self._move(verb, lambda call: action(self.target(call)), options)

    def move_with(
        self, verb: str, action: ChangeVerb[B], body: type[B], /, **options: Unpack[RouteOptions]
    ) -> Route:
        """A move with a request body, such as a reason. One with the status 201 makes another record."""
        options = RouteOptions(body=body, body_example={}) | options
        return self._move(verb, lambda call: action(self.target(call), call.body), options)

    def archiving(
        self,
        archive: MoveVerb,
        restore: MoveVerb,
        *,
        archives: str = "",
        restores: str = "",
        refusals: Mapping[int, str] = {},
        restore_refusals: Mapping[int, str] = {},
    ) -> tuple[Route, Route]:
        """`archives` and `restores` say what else the moves do."""
        hides = (
            "Lists and choices no longer show it, unless `archived=true` asks for it; whatever names it stays. "
            "Who does it again changes nothing."
        )
        return (
            self.move("archive", archive, description=f"{hides} {archives}".strip(), refusals=refusals),
            self.move(
                "restore",
                restore,
                summary=f"Restore {self.a_noun} that was archived",
                client_name=camel_case(f"restore {self.noun}"),
                description=f"It is in sight again. Who does it again changes nothing. {restores}".strip(),
                refusals=restore_refusals,
            ),
        )

    def import_csv(
        self, action: ImportVerb, columns: str, example: str, *, refusals: Mapping[int, str]
    ) -> Route:
        """`columns` lists the columns in a sentence; see `kit.records.csv_import`."""

        async def handler(call: Call[str, ImportQuery]) -> Response:
            return plain(await action(self.context(call), call.body, dry_run=call.query.dry_run))

        return self.route(
            "POST",
            "/import",
            summary=f"Import {self.plural}",
            description=f"Up to {MAX_ROWS:,} rows. {columns} A row that names a record that is there changes it: an empty cell "
            "clears, a column that isn't there stays. The columns of an export are all taken, and those that callers don't "
            "set are ignored. All rows are taken or none is; `dryRun` only tells what would happen and what is wrong.",
            handler=handler,
            gives=ImportReport,
            shape="plain",
            takes="text/csv",
            max_body=LARGE_BODY,
            query=ImportQuery,
            example=ImportReport(dry_run=False, rows=1, created=1, changed=0, unchanged=0, errors=[]),
            body_example=example,
            refusals=refusals,
        )

    def delete(self, action: MoveVerb, below: str | None = None, **options: Unpack[RouteOptions]) -> Route:
        """`below` is the path of what belongs to a record, such as its link, and is deleted by itself."""

        async def handler(call: Call[Any, Any]) -> Response:
            await action(self.target(call))
            return deleted(request_id=call.request_id)

        defaults = RouteOptions(summary=f"Delete {self.a_noun}", handler=handler, shape="deleted")
        return self.route("DELETE", below or self.item, **(defaults | options))

    def _move(
        self, verb: str, act: Callable[[Call[Any, Any]], Awaitable[Any]], options: RouteOptions
    ) -> Route:
        defaults = RouteOptions(
            summary=f"{verb.capitalize()} {self.a_noun}",
            move=True,
            refusals={409: "Not in this state; the message names the moves that are allowed."},
        )
        return self._giving("POST", f"{self.item}/{verb}", act, defaults | options)

    def _giving(
        self,
        method: str,
        below: str,
        act: Callable[[Call[Any, Any]], Awaitable[Any]],
        options: RouteOptions,
    ) -> Route:
        """A route that answers with the record that was made or changed."""
        status = options.get("status", 200)

        async def handler(call: Call[Any, Any]) -> Response:
            record = await act(call)
            headers = [("location", self.location(call, record))] if status == 201 else []
            part = self.versioned_part(record)
            return one(
                self.shown(call, record),
                status=status,
                headers=headers,
                version=part,
                request_id=call.request_id,
            )

        return self.route(method, below, **(RouteOptions(handler=handler) | options))

    def shown(self, call: Call[Any, Any], record: Any) -> Any:
        """What the caller sees of a record that they made or changed."""
        own = own_records_only(call, self.read_permission, self.table)
        return record if self.table is None else self.table.narrowed(record, own)

    def context(self, call: Call[Any, Any]) -> Context:
        return Context(call.db, call.caller, call.now_ms, self._parent_id(call))

    def target(self, call: Call[Any, Any]) -> Target:
        id = call.params[self.id_name]
        return self.context(call).on(id, call.precondition, within=self._parent_id(call))

    def location(self, call: Call[Any, Any], record: Any) -> str:
        filled = self.path.format(orgId=call.caller.tenant, **call.params)
        return f"{filled}/{getattr(record, record.__struct_fields__[0])}"
