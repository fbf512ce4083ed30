"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncAssetTypes(AsyncGroup):
    def list(
        self,
        *,
        updated_after: int | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.AssetTypesSortLike | Sequence[models.AssetTypesSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.AssetType]:
        """List asset types.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `assets:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.AssetType,
            "GET",
            "/v2/organizations/{orgId}/asset-types",
            organization=organization,
            query={
                "updatedAfter": updated_after,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    async def create(
        self,
        *,
        name: str,
        description: str | UnsetType | None = UNSET,
        is_iot_device: bool | UnsetType = UNSET,
        keep_alive: int | UnsetType = UNSET,
        properties: Sequence[models.TelemetryProperty | Mapping[str, Any]] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.AssetType:
        """Create an asset type.

        Needs the permission `assets:write`.

        Args:
            name: Unique within the organization.
            keep_alive: Seconds without a reading after which a device counts as offline.
            properties: Their keys are unique in the type.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AssetType,
            "POST",
            "/v2/organizations/{orgId}/asset-types",
            organization=organization,
            body={
                "name": name,
                "description": description,
                "isIotDevice": is_iot_device,
                "keepAlive": keep_alive,
                "properties": properties,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.AssetTypesSortLike | Sequence[models.AssetTypesSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export asset types as CSV.

        Needs the permission `assets:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/v2/organizations/{orgId}/asset-types.csv",
            organization=organization,
            query={"updatedAfter": updated_after, "q": q, "sort": sort},
        )

    def export_ndjson(
        self,
        *,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.AssetTypesSortLike | Sequence[models.AssetTypesSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.AssetType]:
        """Export asset types as NDJSON.

        Needs the permission `assets:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.AssetType,
            "GET",
            "/v2/organizations/{orgId}/asset-types.ndjson",
            organization=organization,
            query={"updatedAfter": updated_after, "q": q, "sort": sort},
        )

    async def delete(
        self,
        asset_type_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete an asset type.

        Needs the permission `assets:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/v2/organizations/{orgId}/asset-types/{assetTypeId}",
            organization=organization,
            values={"assetTypeId": asset_type_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        asset_type_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.AssetType:
        """Read an asset type.

        May be kept for five minutes, and asked for again with If-None-Match. Needs the permission
        `assets:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AssetType,
            "GET",
            "/v2/organizations/{orgId}/asset-types/{assetTypeId}",
            organization=organization,
            values={"assetTypeId": asset_type_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        asset_type_id: str,
        *,
        name: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        is_iot_device: bool | UnsetType = UNSET,
        keep_alive: int | UnsetType | None = UNSET,
        properties: Sequence[models.TelemetryProperty | Mapping[str, Any]] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.AssetType:
        """Change an asset type.

        Needs the permission `assets:write`.

        Args:
            name: Unique within the organization.
            keep_alive: Seconds without a reading after which a device counts as offline.
            properties: Their keys are unique in the type.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AssetType,
            "PATCH",
            "/v2/organizations/{orgId}/asset-types/{assetTypeId}",
            organization=organization,
            values={"assetTypeId": asset_type_id},
            body={
                "name": name,
                "description": description,
                "isIotDevice": is_iot_device,
                "keepAlive": keep_alive,
                "properties": properties,
            },
            headers={"If-Match": if_match},
        )
