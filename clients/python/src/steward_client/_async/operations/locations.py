"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..._uploads import AsyncSource, Upload
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncLocations(AsyncGroup):
    def list(
        self,
        *,
        parent_id: str | Sequence[str] | None = None,
        type: models.LocationTypeLike | Sequence[models.LocationTypeLike] | None = None,
        code: str | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.LocationsSortLike | Sequence[models.LocationsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Location]:
        """List locations.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `locations:read`.

        Args:
            parent_id: Only what lies directly in this location.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name or code.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Location,
            "GET",
            "/organizations/{orgId}/locations",
            organization=organization,
            query={
                "parentId": parent_id,
                "type": type,
                "code": code,
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
        type: models.LocationTypeLike,
        description: str | UnsetType | None = UNSET,
        parent_id: str | UnsetType | None = UNSET,
        code: str | UnsetType | None = UNSET,
        address: Mapping[str, Any] | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        latitude: float | UnsetType | None = UNSET,
        longitude: float | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Location:
        """Create a location.

        Needs the permission `locations:write`.

        Args:
            code: Unique within the organization.
            address: Free-form: street, city, postal code …
            timezone: An IANA name.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "POST",
            "/organizations/{orgId}/locations",
            organization=organization,
            body={
                "name": name,
                "type": type,
                "description": description,
                "parentId": parent_id,
                "code": code,
                "address": address,
                "timezone": timezone,
                "latitude": latitude,
                "longitude": longitude,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        parent_id: str | Sequence[str] | None = None,
        type: models.LocationTypeLike | Sequence[models.LocationTypeLike] | None = None,
        code: str | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.LocationsSortLike | Sequence[models.LocationsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export locations as CSV.

        Needs the permission `locations:read`.

        Args:
            parent_id: Only what lies directly in this location.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name or code.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/locations.csv",
            organization=organization,
            query={
                "parentId": parent_id,
                "type": type,
                "code": code,
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
        parent_id: str | Sequence[str] | None = None,
        type: models.LocationTypeLike | Sequence[models.LocationTypeLike] | None = None,
        code: str | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.LocationsSortLike | Sequence[models.LocationsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Location]:
        """Export locations as NDJSON.

        Needs the permission `locations:read`.

        Args:
            parent_id: Only what lies directly in this location.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in name or code.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Location,
            "GET",
            "/organizations/{orgId}/locations.ndjson",
            organization=organization,
            query={
                "parentId": parent_id,
                "type": type,
                "code": code,
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
        items: Sequence[models.LocationBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.LocationBatchReport:
        """Create, change, move and delete many locations.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, `delete`, done in their
        order as by the operation for a location alone; a result for each. With `atomic` all are done or
        none is. Needs the permission `locations:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.LocationBatchReport,
            "POST",
            "/organizations/{orgId}/locations/batch",
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
    ) -> models.Location:
        """Read a location by its externalId.

        Needs the permission `locations:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "GET",
            "/organizations/{orgId}/locations/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    async def put_by_external_id(
        self,
        external_id: str,
        *,
        name: str,
        type: models.LocationTypeLike,
        description: str | UnsetType | None = UNSET,
        parent_id: str | UnsetType | None = UNSET,
        code: str | UnsetType | None = UNSET,
        address: Mapping[str, Any] | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        latitude: float | UnsetType | None = UNSET,
        longitude: float | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Location:
        """Create or replace a location by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `locations:write`.

        Args:
            code: Unique within the organization.
            address: Free-form: street, city, postal code …
            timezone: An IANA name.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "PUT",
            "/organizations/{orgId}/locations/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "name": name,
                "type": type,
                "description": description,
                "parentId": parent_id,
                "code": code,
                "address": address,
                "timezone": timezone,
                "latitude": latitude,
                "longitude": longitude,
                "metadata": metadata,
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
        """Import locations.

        Up to 10,000 rows. Columns are named like the fields of a location; `id` or `externalId` names one
        that is there, and `parentId` or `parentExternalId` what it lies in, which may be a row of the same
        file. A row that names a record that is there changes it: an empty cell clears, a column that isn't
        there stays. The columns of an export are all taken, and those that callers don't set are ignored.
        All rows are taken or none is; `dryRun` only tells what would happen and what is wrong. Needs the
        permission `locations:write`.

        Args:
            file: A path, an open file, bytes, or pieces of it.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.ImportReport,
            "POST",
            "/organizations/{orgId}/locations/import",
            organization=organization,
            query={"dryRun": dry_run},
            upload=Upload(file),
            headers={"Idempotency-Key": idempotency_key},
        )

    async def delete(
        self,
        location_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a location.

        Needs the permission `locations:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/locations/{locationId}",
            organization=organization,
            values={"locationId": location_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        location_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Location:
        """Read a location.

        Needs the permission `locations:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "GET",
            "/organizations/{orgId}/locations/{locationId}",
            organization=organization,
            values={"locationId": location_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        location_id: str,
        *,
        name: str | UnsetType = UNSET,
        type: models.LocationTypeLike | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        parent_id: str | UnsetType | None = UNSET,
        code: str | UnsetType | None = UNSET,
        address: Mapping[str, Any] | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        latitude: float | UnsetType | None = UNSET,
        longitude: float | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Location:
        """Change a location.

        Needs the permission `locations:write`.

        Args:
            code: Unique within the organization.
            address: Free-form: street, city, postal code …
            timezone: An IANA name.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "PATCH",
            "/organizations/{orgId}/locations/{locationId}",
            organization=organization,
            values={"locationId": location_id},
            body={
                "name": name,
                "type": type,
                "description": description,
                "parentId": parent_id,
                "code": code,
                "address": address,
                "timezone": timezone,
                "latitude": latitude,
                "longitude": longitude,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"If-Match": if_match},
        )

    async def archive(
        self,
        location_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Location:
        """Archive a location.

        Lists and choices no longer show it, unless `archived=true` asks for it; whatever names it stays.
        Who does it again changes nothing. Assets and other things that are in it stay in sight. Needs the
        permission `locations:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "POST",
            "/organizations/{orgId}/locations/{locationId}/archive",
            organization=organization,
            values={"locationId": location_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def restore(
        self,
        location_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Location:
        """Restore a location that was archived.

        It is in sight again. Who does it again changes nothing. Needs the permission `locations:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Location,
            "POST",
            "/organizations/{orgId}/locations/{locationId}/restore",
            organization=organization,
            values={"locationId": location_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
