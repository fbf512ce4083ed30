"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncApiKeys(AsyncGroup):
    def list(
        self,
        *,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.ApiKey]:
        """List API keys.

        Needs the permission `api-keys:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.ApiKey,
            "GET",
            "/organizations/{orgId}/api-keys",
            organization=organization,
            query={"limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    async def create(
        self,
        *,
        name: str,
        permissions: Sequence[models.PermissionLike] | UnsetType | None = UNSET,
        expires_at: int | UnsetType | None = UNSET,
        allowed_addresses: Sequence[str] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.CreatedApiKey:
        """Create an API key.

        The secret is shown in this answer and never again. A new key works at once. At most 10 keys are
        created per hour and organization. A key that ends or is bound to addresses makes keys within the
        same bounds. Needs the permission `api-keys:create`.

        Args:
            permissions: None given: everything that its creator may do.
            expires_at: From then on the key is refused with 401. Null: it works until it is revoked.
            allowed_addresses: IPv4 and IPv6 addresses and networks from which the key works; from
                elsewhere it is refused with 403. Empty: from anywhere.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.CreatedApiKey,
            "POST",
            "/organizations/{orgId}/api-keys",
            organization=organization,
            body={
                "name": name,
                "permissions": permissions,
                "expiresAt": expires_at,
                "allowedAddresses": allowed_addresses,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export API keys as CSV.

        Needs the permission `api-keys:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any], "GET", "/organizations/{orgId}/api-keys.csv", organization=organization
        )

    def export_ndjson(
        self,
        *,
        organization: str | None = None,
    ) -> AsyncExport[models.ApiKey]:
        """Export API keys as NDJSON.

        Needs the permission `api-keys:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.ApiKey, "GET", "/organizations/{orgId}/api-keys.ndjson", organization=organization
        )

    async def delete(
        self,
        key_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Revoke an API key.

        Permanent, and at once on every process. Revoking twice is fine. Needs the permission
        `api-keys:revoke`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/api-keys/{keyId}",
            organization=organization,
            values={"keyId": key_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        key_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.ApiKeyDetails:
        """Read an API key with its usage.

        Needs the permission `api-keys:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.ApiKeyDetails,
            "GET",
            "/organizations/{orgId}/api-keys/{keyId}",
            organization=organization,
            values={"keyId": key_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        key_id: str,
        *,
        name: str | UnsetType = UNSET,
        permissions: Sequence[models.PermissionLike] | UnsetType = UNSET,
        expires_at: int | UnsetType | None = UNSET,
        allowed_addresses: Sequence[str] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.ApiKey:
        """Change an API key.

        Renames it, narrows its permissions, or sets when it ends and from where it works; at once on every
        process. You need all permissions of a key to change it, and nobody widens its permissions. Needs
        the permission `api-keys:create`.

        Args:
            permissions: Some of those that the key has; it never gets more.
            expires_at: From then on the key is refused with 401. Null: it works until it is revoked.
            allowed_addresses: IPv4 and IPv6 addresses and networks from which the key works; from
                elsewhere it is refused with 403. Empty: from anywhere.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.ApiKey,
            "PATCH",
            "/organizations/{orgId}/api-keys/{keyId}",
            organization=organization,
            values={"keyId": key_id},
            body={
                "name": name,
                "permissions": permissions,
                "expiresAt": expires_at,
                "allowedAddresses": allowed_addresses,
            },
            headers={"If-Match": if_match},
        )

    async def rotate(
        self,
        key_id: str,
        *,
        grace_seconds: int | UnsetType = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.CreatedApiKey:
        """Rotate the secret of an API key.

        The new secret is shown in this answer and never again. The old one works for `graceSeconds` more;
        0 ends it at once, and one that is still in its grace from an earlier rotation too. You need all
        permissions of a key to change it, and to be its creator or have `users:act-as`: it acts in the
        creator's name. Needs the permission `api-keys:create`.

        Args:
            grace_seconds: How long the old secret works beside the new one.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.CreatedApiKey,
            "POST",
            "/organizations/{orgId}/api-keys/{keyId}/rotate",
            organization=organization,
            values={"keyId": key_id},
            body={"graceSeconds": grace_seconds},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
