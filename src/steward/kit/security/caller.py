"""Who is calling, as the access gate found it; holding one of these values is the proof that it looked."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NewType, Protocol

import msgspec

from steward.kit.domain.patch import named_fields
from steward.kit.domain.problems import Forbidden
from steward.kit.security.permissions import WIDER, Either, Need, Permission

# An organization that the access gate has let this caller into. Queries on tenant tables take this type and no
# plain string, and only the gate and the operator's command line may make one (a house test reads the source).
TenantId = NewType("TenantId", str)


# What other systems keep on a record: their name for it, and data of theirs.
SYNC_FIELDS = {"external_id": "externalId", "metadata": "metadata"}


class OwnOnly(msgspec.Struct, frozen=True):
    """Keeps somebody to records of their own. Those of others are absent to them, unless they may see them all the same."""

    user: str
    sees_others: bool = False
    # Holds one of the wider permissions beside the narrow one, and so sees what other systems keep on a record.
    sees_sync_fields: bool = False


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    tenant: TenantId
    plan: str
    permissions: frozenset[Permission]
    user: str | None = None
    key: str | None = None

    @property
    def subject(self) -> str:
        """Names the credential itself: what rate limits and idempotency keys are counted by."""
        return self.key or self.user or ""

    def own_records_only(self, need: Need, *, visible_with: Permission | None = None) -> OwnOnly | None:
        """Whose records alone this caller may touch, having the narrower of two permissions only; None for all.

        `visible_with` is the permission with which one sees the records of others, too.
        """
        if not isinstance(need, Either) or need.permission in self.permissions:
            return None
        wider = bool(WIDER.get(need.narrower, frozenset()) & self.permissions)
        return OwnOnly(self.user or "", visible_with in self.permissions, wider)

    def refuse_sync_fields(self, need: Need, body: Any) -> None:
        """403 for a caller with a narrow permission who sets fields that belong to other systems: with the externalId that a sync uses,
        they could read and cancel what the sync writes."""
        if isinstance(need, Either) and self.own_records_only(need) is not None:
            names = [name for field, name in SYNC_FIELDS.items() if field in named_fields(body)]
            if names:
                raise Forbidden(f"Setting {' and '.join(names)} needs the permission {need.permission}.")

    def acting_as(self, named: str | None, field: str) -> str | None:
        """The person who is recorded: the caller, or whom the body names in `field`, where the caller may do that."""
        if named is None or named == self.user:
            return self.user
        if Permission.USERS_ACT_AS not in self.permissions:
            raise Forbidden(
                f"Naming another person in {field} needs the permission {Permission.USERS_ACT_AS}."
            )
        return named


# For a request that has waited: returns the caller with their present permissions, or raises 401 or 403.
Readmit = Callable[[], Awaitable[Caller]]


class RequestOrigin(Protocol):
    """Where a request came from; computed on demand."""

    @property
    def client(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def https(self) -> bool: ...


# Stands in examples.
SOME_TENANT = TenantId("org_00064a1b2c3d4e5f60718293a4b5")

# Stands where a public route has no caller.
NOBODY = Caller(tenant=TenantId(""), plan="", permissions=frozenset())
