"""Who is calling, as the access gate found it; holding one of these values is the proof that it looked."""

from collections.abc import Mapping
from typing import NewType, Protocol

import msgspec

from steward.kit.security.permissions import Permission

# An organization that the access gate has let this caller into. Queries on tenant tables take this type and no
# plain string, and only the gate and the operator's command line may make one (a house test reads the source).
TenantId = NewType("TenantId", str)


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


class RequestOrigin(Protocol):
    """Where a request came from. Few want to know, so it is found out when somebody asks."""

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
