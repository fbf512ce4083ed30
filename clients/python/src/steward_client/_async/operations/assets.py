"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..._uploads import AsyncSource, Upload
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncAssets(AsyncGroup):
    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        asset_type_id: str | Sequence[str] | None = None,
        status: models.AssetStatusLike | Sequence[models.AssetStatusLike] | None = None,
        connection_status: bool | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.AssetsSortLike | Sequence[models.AssetsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Asset]:
        """List assets.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `assets:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name, externalId or metadata.serialNumber.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Asset,
            "GET",
            "/organizations/{orgId}/assets",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "assetTypeId": asset_type_id,
                "status": status,
                "connectionStatus": connection_status,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "archived": archived,
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
        asset_type_id: str,
        description: str | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        keep_alive: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Create an asset.

        Needs the permission `assets:write`.

        Args:
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            keep_alive: Seconds; null takes the asset type's.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "POST",
            "/organizations/{orgId}/assets",
            organization=organization,
            body={
                "name": name,
                "assetTypeId": asset_type_id,
                "description": description,
                "externalId": external_id,
                "locationId": location_id,
                "metadata": metadata,
                "keepAlive": keep_alive,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        asset_type_id: str | Sequence[str] | None = None,
        status: models.AssetStatusLike | Sequence[models.AssetStatusLike] | None = None,
        connection_status: bool | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.AssetsSortLike | Sequence[models.AssetsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export assets as CSV.

        Needs the permission `assets:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name, externalId or metadata.serialNumber.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/assets.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "assetTypeId": asset_type_id,
                "status": status,
                "connectionStatus": connection_status,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "archived": archived,
                "q": q,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        asset_type_id: str | Sequence[str] | None = None,
        status: models.AssetStatusLike | Sequence[models.AssetStatusLike] | None = None,
        connection_status: bool | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.AssetsSortLike | Sequence[models.AssetsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Asset]:
        """Export assets as NDJSON.

        Needs the permission `assets:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name, externalId or metadata.serialNumber.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Asset,
            "GET",
            "/organizations/{orgId}/assets.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "assetTypeId": asset_type_id,
                "status": status,
                "connectionStatus": connection_status,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "archived": archived,
                "q": q,
                "sort": sort,
            },
        )

    async def batch(
        self,
        *,
        items: Sequence[models.AssetBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.AssetBatchReport:
        """Create, change, move and delete many assets.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, `delete`, done in their
        order as by the operation for an asset alone; a result for each. With `atomic` all are done or none
        is. Needs the permission `assets:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AssetBatchReport,
            "POST",
            "/organizations/{orgId}/assets/batch",
            organization=organization,
            body={"items": items, "atomic": atomic},
            headers={"Idempotency-Key": idempotency_key},
        )

    async def get_by_external_id(
        self,
        external_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Read an asset by its externalId.

        Needs the permission `assets:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "GET",
            "/organizations/{orgId}/assets/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    async def put_by_external_id(
        self,
        external_id: str,
        *,
        name: str,
        asset_type_id: str,
        description: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        keep_alive: int | UnsetType | None = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Create or replace an asset by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `assets:write`.

        Args:
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            keep_alive: Seconds; null takes the asset type's.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "PUT",
            "/organizations/{orgId}/assets/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "name": name,
                "assetTypeId": asset_type_id,
                "description": description,
                "locationId": location_id,
                "metadata": metadata,
                "keepAlive": keep_alive,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
        )

    async def import_(
        self,
        file: AsyncSource,
        *,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.ImportReport:
        """Import assets.

        Up to 10,000 rows. Columns are named like the fields of an asset, `metadata.serialNumber` and the
        like reach into its metadata; `id` or `externalId` names an asset that is there. A row that names a
        record that is there changes it: an empty cell clears, a column that isn't there stays. The columns
        of an export are all taken, and those that callers don't set are ignored. All rows are taken or
        none is; `dryRun` only tells what would happen and what is wrong. Needs the permission
        `assets:write`.

        Args:
            file: A path, an open file, bytes, or pieces of it.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.ImportReport,
            "POST",
            "/organizations/{orgId}/assets/import",
            organization=organization,
            query={"dryRun": dry_run},
            upload=Upload(file),
            headers={"Idempotency-Key": idempotency_key},
        )

    async def delete(
        self,
        asset_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete an asset.

        Needs the permission `assets:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/assets/{assetId}",
            organization=organization,
            values={"assetId": asset_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        asset_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Read an asset.

        Needs the permission `assets:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "GET",
            "/organizations/{orgId}/assets/{assetId}",
            organization=organization,
            values={"assetId": asset_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        asset_id: str,
        *,
        name: str | UnsetType = UNSET,
        asset_type_id: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        keep_alive: int | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Change an asset.

        Needs the permission `assets:write`.

        Args:
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            keep_alive: Seconds without a reading after which a device counts as offline.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "PATCH",
            "/organizations/{orgId}/assets/{assetId}",
            organization=organization,
            values={"assetId": asset_id},
            body={
                "name": name,
                "assetTypeId": asset_type_id,
                "description": description,
                "externalId": external_id,
                "locationId": location_id,
                "metadata": metadata,
                "keepAlive": keep_alive,
            },
            headers={"If-Match": if_match},
        )

    async def archive(
        self,
        asset_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Archive an asset.

        Lists and choices no longer show it, unless `archived=true` asks for it; whatever names it stays.
        Who does it again changes nothing. What it reports is recorded and judged as before. Needs the
        permission `assets:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "POST",
            "/organizations/{orgId}/assets/{assetId}/archive",
            organization=organization,
            values={"assetId": asset_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def restore(
        self,
        asset_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Asset:
        """Restore an asset that was archived.

        It is in sight again. Who does it again changes nothing. Needs the permission `assets:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Asset,
            "POST",
            "/organizations/{orgId}/assets/{assetId}/restore",
            organization=organization,
            values={"assetId": asset_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
