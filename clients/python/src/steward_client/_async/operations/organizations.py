"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from msgspec import UNSET, UnsetType

from ... import models
from ..group import AsyncGroup


class AsyncOrganizations(AsyncGroup):
    async def get(
        self,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Organization:
        """Read the organization.

        Needs the permission `organization:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Organization,
            "GET",
            "/organizations/{orgId}",
            organization=organization,
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        *,
        name: str | UnsetType = UNSET,
        telemetry_events: bool | UnsetType = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Organization:
        """Change the organization.

        Needs the permission `organization:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Organization,
            "PATCH",
            "/organizations/{orgId}",
            organization=organization,
            body={"name": name, "telemetryEvents": telemetry_events},
            headers={"If-Match": if_match},
        )
