"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class ApiKeys(Group):
    def list(
        self,
        *,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> Pages[models.ApiKey]:
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

    def create(
        self,
        *,
        name: str,
        permissions: Sequence[models.PermissionLike] | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.CreatedApiKey:
        """Create an API key.

        The secret is shown in this answer and never again. A new key works at once. At most 10 keys are
        created per hour and organization. Needs the permission `api-keys:create`.

        Args:
            permissions: None given: everything that its creator may do.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.CreatedApiKey,
            "POST",
            "/organizations/{orgId}/api-keys",
            organization=organization,
            body={"name": name, "permissions": permissions},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
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
    ) -> Export[models.ApiKey]:
        """Export API keys as NDJSON.

        Needs the permission `api-keys:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.ApiKey, "GET", "/organizations/{orgId}/api-keys.ndjson", organization=organization
        )

    def delete(
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
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/api-keys/{keyId}",
            organization=organization,
            values={"keyId": key_id},
            headers={"If-Match": if_match},
        )

    def get(
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
        return self._record(
            models.ApiKeyDetails,
            "GET",
            "/organizations/{orgId}/api-keys/{keyId}",
            organization=organization,
            values={"keyId": key_id},
            headers={"If-None-Match": if_none_match},
        )
