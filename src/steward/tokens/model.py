"""Password tokens, the legacy way to call the API: an hour each, renewed by refresh tokens that work once."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from steward.kit.coordination.rate_limiter import Limit
from steward.kit.domain.fields import Body, Identifier, Record
from steward.organizations.model import Plan
from steward.users.accounts.model import Account

TOKEN_SECONDS = 3600
REFRESH_SECONDS = 30 * 24 * 3600

# The API counts by address alone. Whole offices share one address for the web app's login, so there a
# person's typos count against that person; in both, attempts at one account from many addresses are counted
# together.
PASSWORD_FAILURES = Limit("password-failures", 5, 15 * 60, "failed logins from this address")
FORM_FAILURES = Limit("form-failures", 5, 15 * 60, "failed logins to this account from this address")
FORM_ADDRESS_FAILURES = Limit("form-address-failures", 50, 15 * 60, "failed logins from this address")
ACCOUNT_FAILURES = Limit("account-failures", 30, 60 * 60, "failed logins to this account")
SIDE_GUESSES = Limit("side-guesses", 30, 60 * 60, "logins to another account with the same e-mail address")
# At an address with an earlier successful login, attempts from elsewhere don't block the account.
KNOWN_ADDRESS = Limit("known-address", 1, 30 * 24 * 3600, "logins from an address that is known")

DEPRECATED = datetime(2026, 1, 1, tzinfo=UTC)
REMOVAL = datetime(2026, 6, 30, 23, 59, 59, tzinfo=UTC)
MIGRATION_PAGE = "/docs/api-keys"

REMOVED = "Password tokens are no longer accepted here; use an API key in the X-API-Key header."

# On every answer to a bearer request: deprecated since (RFC 9745), removed on (RFC 8594), and what to use
# instead.
DEPRECATION_HEADERS = [
    ("deprecation", f"@{int(DEPRECATED.timestamp())}"),
    ("sunset", REMOVAL.strftime("%a, %d %b %Y %H:%M:%S GMT")),
    ("link", f'<{MIGRATION_PAGE}>; rel="deprecation"; type="text/html"'),
]


class Login(Body, frozen=True):
    account: Annotated[str, Meta(description="The user's e-mail address.", max_length=254)]
    password: Annotated[str, Meta(max_length=200)]
    organization_id: Annotated[
        Identifier | None,
        Meta(
            description="Which organization, for people in several; otherwise the one they joined first. Needed where "
            "several accounts have this e-mail address and this password."
        ),
    ] = None


class TokenRefresh(Body, frozen=True):
    refresh_token: Annotated[str, Meta(max_length=200)]


class Tokens(Record, frozen=True):
    token: Annotated[str, Meta(description="A JWT, good as a bearer token for an hour.")]
    id_token: Annotated[
        str, Meta(description="A JWT with the claim `organizationId`; good as a bearer token, too.")
    ]
    refresh_token: Annotated[str, Meta(description="Gets new tokens, once.")]


class Claims(Record, frozen=True):
    """A token's claims about its bearer."""

    sub: str
    organization_id: str
    exp: int
    # The account's generation when the token was made; older generations are invalid.
    generation: int = 0


class Membership(msgspec.Struct, frozen=True):
    """An organization that an account may log in to, and its user there."""

    organization_id: str
    name: str
    plan: Plan
    user_id: str
    account_id: str


class OpenedAccount(msgspec.Struct, frozen=True):
    """An account whose password was right, with the organizations that it opens now."""

    account: Account
    memberships: list[Membership]


class TokenHolder(msgspec.Struct, frozen=True):
    """A token's claims about the user."""

    email: str
    generation: int
    plan: Plan


class StoredRefreshToken(msgspec.Struct, frozen=True):
    chain_id: str
    user_id: str
    used: bool
    expires: int
    generation: int
