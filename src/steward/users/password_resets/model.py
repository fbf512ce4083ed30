"""One-time links to set a new password: mailed to the account's holder, or made by an administrator and handed over."""

import msgspec

from steward.kit.coordination.rate_limiter import Limit

PAGE = "/app/password-reset"

MAILED_SECONDS = 3600
# A person carries it over.
ISSUED_SECONDS = 24 * 3600

# Counted the same whether the account exists or not.
EMAIL_LIMIT = Limit("password-resets", 5, 3600, "links for a new password to this e-mail address")
ADDRESS_LIMIT = Limit("password-resets-address", 20, 3600, "links for a new password from this address")


class PasswordReset(msgspec.Struct, frozen=True):
    account_id: str
    # Of the account, when the link was made.
    generation: int
    expires_at: int
    # The organization and the user that made it; neither if it was mailed.
    issued_in: str | None = None
    issued_by: str | None = None

    @property
    def mailed(self) -> bool:
        return self.issued_in is None


class OpenReset(msgspec.Struct, frozen=True):
    """A valid link, and the login address of its account."""

    reset: PasswordReset
    email: str


class IssuedLink(msgspec.Struct, frozen=True):
    """What an administrator hands over. Shown once."""

    name: str
    email: str
    link: str


class LinkForAccount(msgspec.Struct, frozen=True):
    """One account in a mail: several may have the recipient's address."""

    organizations: list[str]
    link: str
