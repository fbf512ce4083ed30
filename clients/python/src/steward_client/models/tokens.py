"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from msgspec import UNSET, UnsetType

from .._answers import Model, Record


class Login(Model, kw_only=True):
    account: str
    """The user's e-mail address."""
    password: str
    organization_id: str | UnsetType | None = UNSET
    """Which organization, for people in several; otherwise the one they joined first. Needed where several
    accounts have this e-mail address and this password.
    """


class TokenRefresh(Model, kw_only=True):
    refresh_token: str


class Tokens(Record, kw_only=True):
    token: str
    """A JWT, good as a bearer token for an hour."""
    id_token: str
    """A JWT with the claim `organizationId`; good as a bearer token, too."""
    refresh_token: str
    """Gets new tokens, once."""
