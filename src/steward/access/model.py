import msgspec

from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import Permission
from steward.organizations.model import Plan
from steward.settings import Network

SESSION_SECONDS = 12 * 3600
# How long after its login a session may add its account to another organization.
FRESH_SECONDS = 5 * 60


class UserAccess(msgspec.Struct, frozen=True):
    """What a user may do in an organization now."""

    plan: Plan
    active: bool
    permissions: frozenset[Permission]
    # Of the account; tokens and sessions of an earlier generation are invalid.
    generation: int


class Credential(msgspec.Struct, frozen=True):
    """A credential that exists. `usable` is false for a revoked key and a suspended user."""

    caller: Caller
    plan: Plan
    usable: bool
    # Of the person's account: a token or session is valid while it carries this generation. A key has none.
    generation: int = 0
    # When it expires (Unix seconds), and the message of the refusal after that.
    until: int | None = None
    over: str = ""
    # The networks that may use it; empty for all.
    networks: tuple[Network, ...] = ()

    def is_over(self, now: int) -> bool:
        return self.until is not None and self.until <= now


class StoredSession(msgspec.Struct, frozen=True):
    """A web session. The generation is that of the password check."""

    user_id: str
    expires: int
    generation: int

    @property
    def entered_at(self) -> int:
        """When the password was entered: switching the organization doesn't prolong a session."""
        return self.expires - SESSION_SECONDS


class CurrentUser(msgspec.Struct, frozen=True):
    """The logged-in person and their organization."""

    organization: str
    name: str
    email: str


class CreatedOrganization(msgspec.Struct, frozen=True):
    organization_id: TenantId
    user_id: str
    key_id: str
    secret: str
