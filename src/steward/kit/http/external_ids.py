"""Records by their identifier in another system: read, and created or replaced in one request, also by many at once.

Replacing changes what differs from a new record. Where nothing differs, nothing happens and no event is published.
"""

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import asyncpg
import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.domain.fields import ExternalId
from steward.kit.domain.patch import differing, given
from steward.kit.domain.problems import Conflict, Invalid, NotFound, PreconditionFailed, Unavailable
from steward.kit.domain.versions import Precondition, version_of
from steward.kit.http.operations import Operations, perform
from steward.kit.http.preconditions import precondition, tags
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import in_full

# Each time another request changed, created or deleted the record at that moment.
_TRIES = 10
# Longer after each, and by chance, so that those who got in each other's way don't do so again.
_WAIT_SECONDS = 0.01

Find = Callable[[Database, TenantId, str], Awaitable[Any]]
# From the old record and what it would be made from to the changes that lead there.
Replacement = Callable[[Context, Any, Any], Awaitable[Any]]

_TAKE_TURN = sql("SELECT pg_advisory_xact_lock($1)")


class _OvertakenError(Exception):
    """Another request may have changed, created or deleted the record meanwhile; if not, `why` is the answer."""

    def __init__(self, why: Exception, *, creating: bool) -> None:
        super().__init__(str(why))
        self.why = why
        self.creating = creating


class Existence(msgspec.Struct, frozen=True):
    """What must be there, or not, for a record to be made or replaced."""

    # The versions of which it must be one; None without such a wish.
    seen: Precondition | None = None
    # The versions of which it must be none; empty for any at all, None without such a wish.
    unlike: tuple[str, ...] | None = None

    @classmethod
    def asked(cls, headers: Mapping[str, str]) -> "Existence":
        match, none_match = headers.get("if-match"), headers.get("if-none-match")
        return cls(
            None if match is None else precondition(match),
            None if none_match is None else _unlike(none_match),
        )

    def require(self, old: Any) -> None:
        if old is None:
            if self.seen is not None:
                raise PreconditionFailed("There is nothing here that you could have seen.")
            return
        if self.seen is not None:
            self.seen.require(old)
        if self.unlike is not None and (not self.unlike or version_of(old) in self.unlike):
            raise PreconditionFailed("It is there already.")


class ByExternalId:
    """`body` is what a record is replaced by, where that isn't what it is made from; `new` then makes the one of the other."""

    def __init__(
        self,
        operations: Operations,
        *,
        find: Find | None = None,
        replacement: Replacement | None = None,
        body: type[msgspec.Struct] | None = None,
        new: Callable[[Any], Any] = lambda body: body,
    ) -> None:
        self.operations = operations
        self.find = find or self._find_in_table
        self.body = body or operations.create.body
        self._replacement = replacement or self._plain_replacement
        self._new = new

    async def read(self, call: Call[NoBody, NoQuery]) -> Response:
        return one(await self.found(call.db, call, call.params["externalId"]), request_id=call.request_id)

    async def put(self, call: Call[Any, NoQuery]) -> Response:
        existence = Existence.asked(call.origin.headers)
        return await self.replace(call, call.params["externalId"], call.body, existence)

    async def found(self, db: Database, call: Call[Any, Any], external_id: str) -> Any:
        record = await self.find(db, call.caller.tenant, external_id)
        if record is None:
            raise NotFound("There is no record with this externalId.")
        return record

    async def replace(
        self, call: Call[Any, Any], external_id: str, body: Any, existence: Existence
    ) -> Response:
        body = _named(body, external_id)
        for lost in range(_TRIES):
            await asyncio.sleep(lost * _WAIT_SECONDS * random.random())  # noqa: S311 (spreads load, hides nothing)
            try:
                async with call.db.attempt() as db:
                    if not lost:
                        return await self._try(call, db, external_id, body, existence)
                    async with db.transaction() as tx:
                        await tx.execute(_TAKE_TURN, self._turn(call, external_id))
                        return await self._try(call, tx, external_id, body, existence)
            except _OvertakenError as error:
                # The record that conflicts with the new one may be the same one, which somebody else has just made: then its e-mail
                # address or its time was found taken before its externalId.
                if error.creating and await self.find(call.db, call.caller.tenant, external_id) is None:
                    raise error.why from None
        raise Unavailable("Others change the same record all the time; try again.")

    async def _try(
        self, call: Call[Any, Any], db: Database, external_id: str, body: Any, existence: Existence
    ) -> Response:
        old = await self.find(db, call.caller.tenant, external_id)
        existence.require(old)
        try:
            if old is None:
                return await perform(self.operations.create, call.as_one(db, self._new(body)))
            return await self._change(call, db, old, body)
        except (asyncpg.UniqueViolationError, Conflict) as error:
            if old is not None:
                raise
            raise _OvertakenError(error, creating=True) from error
        except (NotFound, PreconditionFailed) as error:
            if old is None:
                raise
            raise _OvertakenError(error, creating=False) from error

    def _turn(self, call: Call[Any, Any], external_id: str) -> int:
        """The number of the advisory lock under which requests that lost take turns, so that each gets through."""
        named = (call.caller.tenant, self.operations.resource.path, external_id)
        digest = hashlib.sha256(b"by external id" + msgspec.json.encode(named)).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    async def _change(self, call: Call[Any, Any], db: Database, old: Any, body: Any) -> Response:
        """Only as it was when the changes were found out."""
        changes = await self._replacement(Context(db, call.caller, call.now_ms), old, body)
        if not given(changes):
            return one(old, request_id=call.request_id)
        address = self.operations.address(getattr(old, old.__struct_fields__[0]))
        seen = Precondition((version_of(old),))
        return await perform(self.operations.change, call.as_one(db, changes, address, seen))

    async def _find_in_table(self, db: Database, tenant: TenantId, external_id: str) -> Any:
        table = self.operations.resource.table
        assert table is not None  # noqa: S101 (a resource without one brings its own way to find)
        return await records.by_external_id(db, table, tenant, external_id)

    async def _plain_replacement(self, _ctx: Context, old: Any, new: Any) -> Any:
        return differing(self.operations.change.body, old, new)

    def routes(self) -> tuple[Route, ...]:
        resource, create, change = self.operations.resource, self.operations.create, self.operations.change
        below, example = "/by-external-id/{externalId}", create.body_example
        return (
            resource.route(
                "GET",
                below,
                handler=self.read,
                client_name=f"read{self.operations.name}ByExternalId",
                summary=f"Read {resource.a_noun} by its externalId",
                permission=in_full(resource.read_permission),
            ),
            resource.route(
                "PUT",
                below,
                handler=self.put,
                client_name=f"put{self.operations.name}ByExternalId",
                summary=f"Create or replace {resource.a_noun} by its externalId",
                description="201 where it was made, 200 where it was there. Replacing takes the body for the whole record: "
                "what is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.",
                permission=in_full(resource.write_permission),
                body=self.body,
                body_example={name: example[name] for name in example if name != "externalId"},
                creates=True,
                stored_in=create.stored_in,
                refusals={**create.refusals, **change.refusals},
            ),
        )


def _unlike(if_none_match: str) -> tuple[str, ...]:
    if if_none_match.strip() == "*":
        return ()
    # A header that names no version of ours is unlike every one.
    return tags(if_none_match.replace("W/", "")) or ("",)


def _named(body: Any, external_id: str) -> Any:
    """The body with the name that its address has."""
    if body.external_id not in {None, external_id}:
        raise Invalid("externalId", "must be the one in the path, or absent")
    try:
        msgspec.convert(external_id, ExternalId)
    except msgspec.ValidationError:
        raise Invalid("externalId", "must have at most 200 characters") from None
    return msgspec.structs.replace(body, external_id=external_id)
