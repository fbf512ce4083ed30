"""What every verb takes: what runs the statements, who asks, when, and of which record."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import msgspec
from msgspec.structs import replace

from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.security.caller import Caller, TenantId


class Context(msgspec.Struct, frozen=True):
    """`now_ms` is the moment of the request, taken once at the edge."""

    db: Database
    who: Caller
    now_ms: int
    # The identifier of the parent, where the path of a record names one.
    within: str | None = None

    @classmethod
    def of_tenant(cls, db: Database, tenant: TenantId, now: int) -> "Context":
        """For jobs, which act for an organization and for no user."""
        return Context(db, Caller(tenant=tenant, plan="", permissions=frozenset()), now * 1000)

    @property
    def now(self) -> int:
        """In Unix seconds, the unit of nearly every time."""
        return self.now_ms // 1000

    @property
    def tenant(self) -> TenantId:
        return self.who.tenant

    @property
    def tx(self) -> Transaction:
        """Of a verb that has opened one."""
        assert isinstance(self.db, Transaction), "this needs an open transaction"  # noqa: S101
        return self.db

    @property
    def parent(self) -> str:
        """Of a verb whose path names one."""
        assert self.within is not None, "this needs the identifier of a parent"  # noqa: S101
        return self.within

    def inside(self, parent_id: str) -> "Context":
        return Context(self.db, self.who, self.now_ms, parent_id)

    def on(
        self, id: str, precondition: Precondition = UNCONDITIONAL, *, within: str | None = None
    ) -> "Target":
        return Target(self.db, self.who, self.now_ms, within, id=id, precondition=precondition)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Self]:
        """The same in a transaction of its own, or in the one that is open already."""
        async with self.db.transaction() as tx:
            yield replace(self, db=tx)


class Target(Context, frozen=True, kw_only=True):
    """A context and the record that the verb is about."""

    id: str
    precondition: Precondition = UNCONDITIONAL
