"""Many operations on records of one kind in one request, each with a result of its own.

Every item becomes a call of the route that does the same by itself. What is refused leaves the others alone, or with `atomic`
undoes them all.
"""

from collections.abc import Sequence
from typing import Any

import asyncpg
import msgspec
from msgspec import UNSET

from steward.kit.db.pool import Database
from steward.kit.domain.problems import MAX_FAULTS, Forbidden, Invalid, Problem
from steward.kit.http.batch_items import (
    MAX_ITEMS,
    AnyItem,
    Envelope,
    ItemError,
    ReadPart,
    change_of,
    described,
    if_match_of,
    read_envelope,
    read_item,
    read_large_envelope,
    read_large_item,
    verb_of,
)
from steward.kit.http.batch_runs import Outcome, Step, run_all, run_each
from steward.kit.http.external_ids import ByExternalId, Existence
from steward.kit.http.json_pieces import AT_ONCE
from steward.kit.http.operations import Operations, perform
from steward.kit.http.preconditions import precondition
from steward.kit.http.response import Response, plain
from steward.kit.http.route import BodyReader, Call, NoQuery, Route, camel_case
from steward.kit.http.server.exchange import LARGE_BODY
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.permissions import in_full

_NOTHING_DONE = "is nothing that this kind does"


class _Envelope(msgspec.Struct):
    data: msgspec.Raw


class Batch(msgspec.Struct, frozen=True):
    operations: Operations
    by_external_id: ByExternalId

    async def handle(self, call: Call[Envelope, NoQuery]) -> Response:
        steps = await self._planned(call, call.body.items)
        run = run_all if call.body.atomic else run_each
        outcomes = await run(call, steps)
        await self._add_later_faults(call, outcomes)
        results = [_result(index, outcome) for index, outcome in enumerate(outcomes)]
        failed = sum(1 for result in results if result["error"] is not None)
        counts = {"atomic": call.body.atomic, "succeeded": len(results) - failed, "failed": failed}
        return plain({**counts, "results": results}, request_id=call.request_id)

    async def _planned(self, call: Call[Any, Any], items: Sequence[msgspec.Raw]) -> list[Step | Problem]:
        steps: list[Step | Problem] = []
        time_slice = TimeSlice()
        for text in map(bytes, items):
            try:
                item, read = read_item(text) if len(text) <= AT_ONCE else await read_large_item(text)
                steps.append(self._step(call, item, read))
            except Problem as problem:
                steps.append(problem.without_frames())
            if time_slice.expired:
                await time_slice.yield_control()
        return steps

    def _step(self, call: Call[Any, Any], item: AnyItem, read: ReadPart) -> Step:
        verb = verb_of(item)
        route = self._route(verb, item)
        if refusal := route.refusal(call.caller):
            raise Forbidden(refusal)
        if verb in {"move", "delete"}:
            body = read(route.body, "body")
        else:
            body = read(self.by_external_id.body if verb == "replace" else route.body, verb)
        if_match = if_match_of(item)

        async def create(db: Database) -> Response:
            return await perform(route, call.as_one(db, body))

        async def replace(db: Database) -> Response:
            existence = Existence(None if if_match is None else precondition(if_match))
            part = call.as_one(db, body)
            return await self.by_external_id.replace(part, str(item.external_id), body, existence)

        async def change(db: Database) -> Response:
            id = item.id
            if id is UNSET:
                record = await self.by_external_id.found(db, call, str(item.external_id))
                id = getattr(record, record.__struct_fields__[0])
            address = self.operations.address(str(id))
            return await perform(route, call.as_one(db, body, address, precondition(if_match)))

        async def delete(db: Database) -> Response:
            try:
                return await change(db)
            except asyncpg.IntegrityConstraintViolationError as error:
                raise call.explain(error, deleting=True) from error

        return {"create": create, "replace": replace, "delete": delete}.get(verb, change)

    def _route(self, verb: str, item: AnyItem) -> Route:
        moves = self.operations.moves
        if verb in {"create", "replace"}:
            return self.operations.create
        if verb == "change":
            return self.operations.change
        if verb == "delete":
            if self.operations.delete is None:
                raise Invalid("delete", _NOTHING_DONE)
            return self.operations.delete
        if item.move not in moves:
            possible = f"must be one of {', '.join(moves)}" if moves else _NOTHING_DONE
            raise Invalid("move", possible)
        return moves[str(item.move)]

    async def _add_later_faults(self, call: Call[Envelope, NoQuery], outcomes: list[Outcome]) -> None:
        """As the operation by itself does, for as many items as a refusal has faults: more would cost more than the batch."""
        refused = [index for index, outcome in enumerate(outcomes) if isinstance(outcome, Invalid)]
        for index in refused[:MAX_FAULTS]:
            text, problem = bytes(call.body.items[index]), outcomes[index]
            verb, body = change_of(text) if len(text) <= AT_ONCE else ("", b"")
            if verb and isinstance(problem, Invalid):
                route = self.operations.change if verb == "change" else self.operations.create
                async with call.db.attempt() as db:
                    part = call.as_one(db, None, self.operations.address(""))
                    part.query = route.query()
                    outcomes[index] = await call.with_later_faults(problem, route, part, body)

    def route(self) -> Route:
        resource, create = self.operations.resource, self.operations.create
        item, report = described(self.operations, self.by_external_id.body)
        deletes = self.operations.delete is not None
        verbs = ["`create`", "`change`", "`replace`", *(["`move`"] if self.operations.moves else [])]
        verbs += ["`delete`"] if deletes else []
        return resource.route(
            "POST",
            "/batch",
            handler=self.handle,
            client_name=camel_case(f"batch {resource.plural}"),
            summary=f"Create, change{', move and delete' if deletes else ' and move'} many {resource.plural}",
            description=f"Up to {MAX_ITEMS} items, each with one of {', '.join(verbs)}, done in their order as by the "
            f"operation for {resource.a_noun} alone; a result for each. With `atomic` all are done or none is.",
            permission=in_full(resource.write_permission),
            body=item,
            reads=BodyReader(read_envelope, read_large_envelope),
            max_body=LARGE_BODY,
            stored_in=None,
            gives=report,
            shape="plain",
            body_example={"atomic": False, "items": [{"create": create.body_example}]},
            example=self._example(report),
        )

    def _example(self, report: type[msgspec.Struct]) -> Any:
        made = {"index": 0, "status": 201, "data": self.operations.resource.example, "error": None}
        example = {
            "atomic": False,
            "succeeded": 1,
            "failed": 0,
            "results": [{**made, "etag": '"5d41402abc4b2a76b9719d91"'}],
        }
        return msgspec.convert(msgspec.to_builtins(example), report)


def _result(index: int, outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Problem):
        error = ItemError(outcome.code, outcome.message, list(outcome.details))
        return {"index": index, "status": outcome.status, "data": None, "etag": None, "error": error}
    etag = dict(outcome.headers).get("etag")
    # What is deleted has no version, and there is nothing to show.
    data = None if etag is None else msgspec.json.decode(outcome.body, type=_Envelope).data
    return {"index": index, "status": outcome.status, "data": data, "etag": etag, "error": None}
