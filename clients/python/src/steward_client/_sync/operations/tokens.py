"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..group import Group


class Tokens(Group):
    def get_public_keys(
        self,
    ) -> dict[str, Any]:
        """The public keys that tokens are signed with."""
        return self._data("GET", "/.well-known/jwks.json")

    def create(
        self,
        *,
        account: str,
        password: str,
        organization_id: str | UnsetType | None = UNSET,
    ) -> models.Tokens:
        """Log in with a password.

        Deprecated: use an API key. Tokens expire after one hour.

        Args:
            account: The user's e-mail address.
            organization_id: Which organization, for people in several; otherwise the one they joined
                first. Needed where several accounts have this e-mail address and this password.
        """
        return self._record(
            models.Tokens,
            "POST",
            "/authentications/tokens",
            body={"account": account, "password": password, "organizationId": organization_id},
        )

    def refresh(
        self,
        *,
        refresh_token: str,
    ) -> models.Tokens:
        """Get new tokens for a refresh token.

        A refresh token works once. If one comes back a second time, its whole chain ends.
        """
        return self._record(
            models.Tokens, "POST", "/authentications/tokens/refresh", body={"refreshToken": refresh_token}
        )
