"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncBookableResources(AsyncGroup):
    async def get_calendar(
        self,
        token: str,
    ) -> str:
        """Read a calendar.

        An iCalendar (RFC 5545) of the bookings that hold the resource, from 30 days back to a year ahead,
        with titles and without people. Answers an `ETag`, and 304 to `If-None-Match`. The address is its
        own credential: see the calendar link of a resource.
        """
        return await self._text("GET", "/calendars/{token}", values={"token": token})

    def list_calendar_links(
        self,
        *,
        resource_id: str | Sequence[str] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.MadeCalendarLink]:
        """List calendar links.

        Which resources have one, and since when; the addresses themselves are not kept. Needs the
        permission `bookings:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.MadeCalendarLink,
            "GET",
            "/organizations/{orgId}/calendar-links",
            organization=organization,
            query={"resourceId": resource_id, "limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    def export_calendar_links_csv(
        self,
        *,
        resource_id: str | Sequence[str] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export calendar links as CSV.

        Needs the permission `bookings:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/calendar-links.csv",
            organization=organization,
            query={"resourceId": resource_id},
        )

    def export_calendar_links_ndjson(
        self,
        *,
        resource_id: str | Sequence[str] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.MadeCalendarLink]:
        """Export calendar links as NDJSON.

        Needs the permission `bookings:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.MadeCalendarLink,
            "GET",
            "/organizations/{orgId}/calendar-links.ndjson",
            organization=organization,
            query={"resourceId": resource_id},
        )

    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        type: models.ResourceTypeLike | Sequence[models.ResourceTypeLike] | None = None,
        active: bool | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.BookableResourcesSortLike | Sequence[models.BookableResourcesSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.BookableResource]:
        """List bookable resources.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `bookings:read`, or
        `bookings:book`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in the name.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.BookableResource,
            "GET",
            "/organizations/{orgId}/resources",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "type": type,
                "active": active,
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
        type: models.ResourceTypeLike,
        location_id: str | UnsetType | None = UNSET,
        capacity: int | UnsetType | None = UNSET,
        features: Sequence[str] | UnsetType = UNSET,
        buffer_minutes: int | UnsetType = UNSET,
        check_in_required: bool | UnsetType = UNSET,
        release_after_minutes: int | UnsetType = UNSET,
        active: bool | UnsetType = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResource:
        """Create a bookable resource.

        Needs the permission `bookings:write`.

        Args:
            capacity: How many people or things it holds.
            features: What it has, such as a projector.
            buffer_minutes: What must lie between two bookings.
            release_after_minutes: How long after its start a booking waits for somebody to check in.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "POST",
            "/organizations/{orgId}/resources",
            organization=organization,
            body={
                "name": name,
                "type": type,
                "locationId": location_id,
                "capacity": capacity,
                "features": features,
                "bufferMinutes": buffer_minutes,
                "checkInRequired": check_in_required,
                "releaseAfterMinutes": release_after_minutes,
                "active": active,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        type: models.ResourceTypeLike | Sequence[models.ResourceTypeLike] | None = None,
        active: bool | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.BookableResourcesSortLike | Sequence[models.BookableResourcesSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export bookable resources as CSV.

        Needs the permission `bookings:read`, or `bookings:book`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/resources.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "type": type,
                "active": active,
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
        type: models.ResourceTypeLike | Sequence[models.ResourceTypeLike] | None = None,
        active: bool | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        archived: bool | None = None,
        q: str | None = None,
        sort: models.BookableResourcesSortLike | Sequence[models.BookableResourcesSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.BookableResource]:
        """Export bookable resources as NDJSON.

        Needs the permission `bookings:read`, or `bookings:book`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            archived: With `true` those that are archived and no others, else those that are not.
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.BookableResource,
            "GET",
            "/organizations/{orgId}/resources.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "type": type,
                "active": active,
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
        items: Sequence[models.BookableResourceBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResourceBatchReport:
        """Create, change, move and delete many bookable resources.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, `delete`, done in their
        order as by the operation for a bookable resource alone; a result for each. With `atomic` all are
        done or none is. Needs the permission `bookings:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResourceBatchReport,
            "POST",
            "/organizations/{orgId}/resources/batch",
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
    ) -> models.BookableResource:
        """Read a bookable resource by its externalId.

        Needs the permission `bookings:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "GET",
            "/organizations/{orgId}/resources/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    async def put_by_external_id(
        self,
        external_id: str,
        *,
        name: str,
        type: models.ResourceTypeLike,
        location_id: str | UnsetType | None = UNSET,
        capacity: int | UnsetType | None = UNSET,
        features: Sequence[str] | UnsetType = UNSET,
        buffer_minutes: int | UnsetType = UNSET,
        check_in_required: bool | UnsetType = UNSET,
        release_after_minutes: int | UnsetType = UNSET,
        active: bool | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResource:
        """Create or replace a bookable resource by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `bookings:write`.

        Args:
            capacity: How many people or things it holds.
            features: What it has, such as a projector.
            buffer_minutes: What must lie between two bookings.
            release_after_minutes: How long after its start a booking waits for somebody to check in.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "PUT",
            "/organizations/{orgId}/resources/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "name": name,
                "type": type,
                "locationId": location_id,
                "capacity": capacity,
                "features": features,
                "bufferMinutes": buffer_minutes,
                "checkInRequired": check_in_required,
                "releaseAfterMinutes": release_after_minutes,
                "active": active,
                "metadata": metadata,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
        )

    def list_free(
        self,
        *,
        from_: int,
        to: int,
        capacity: int | None = None,
        location_id: str | Sequence[str] | None = None,
        type: models.ResourceTypeLike | Sequence[models.ResourceTypeLike] | None = None,
        features: str | Sequence[str] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.BookableResource]:
        """Find free resources.

        Active resources that are free for the whole time, buffers included: each of them could be booked
        for this time. Needs the permission `bookings:read`, or `bookings:book`.

        Args:
            from_: Unix seconds.
            to: Unix seconds, at most 31 days later.
            capacity: Holds at least so many.
            location_id: At this location, or at one that lies in it.
            features: Has all of these, separated by commas; upper and lower case are the same.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.BookableResource,
            "GET",
            "/organizations/{orgId}/resources/free",
            organization=organization,
            query={
                "from": from_,
                "to": to,
                "capacity": capacity,
                "locationId": location_id,
                "type": type,
                "features": features,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
            },
        )

    async def delete(
        self,
        resource_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a bookable resource.

        Needs the permission `bookings:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/resources/{resourceId}",
            organization=organization,
            values={"resourceId": resource_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        resource_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResource:
        """Read a bookable resource.

        Needs the permission `bookings:read`, or `bookings:book`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "GET",
            "/organizations/{orgId}/resources/{resourceId}",
            organization=organization,
            values={"resourceId": resource_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        resource_id: str,
        *,
        name: str | UnsetType = UNSET,
        type: models.ResourceTypeLike | UnsetType = UNSET,
        location_id: str | UnsetType | None = UNSET,
        capacity: int | UnsetType | None = UNSET,
        features: Sequence[str] | UnsetType | None = UNSET,
        buffer_minutes: int | UnsetType = UNSET,
        check_in_required: bool | UnsetType = UNSET,
        release_after_minutes: int | UnsetType = UNSET,
        active: bool | UnsetType = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResource:
        """Change a bookable resource.

        A new buffer holds for bookings that are made or moved from now on; whether and how soon somebody
        has to check in also for those that have not begun. Needs the permission `bookings:write`.

        Args:
            capacity: How many people or things it holds.
            features: What it has, such as a projector.
            buffer_minutes: What must lie between two bookings.
            release_after_minutes: How long after its start a booking waits for somebody to check in.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "PATCH",
            "/organizations/{orgId}/resources/{resourceId}",
            organization=organization,
            values={"resourceId": resource_id},
            body={
                "name": name,
                "type": type,
                "locationId": location_id,
                "capacity": capacity,
                "features": features,
                "bufferMinutes": buffer_minutes,
                "checkInRequired": check_in_required,
                "releaseAfterMinutes": release_after_minutes,
                "active": active,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"If-Match": if_match},
        )

    async def archive(
        self,
        resource_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResource:
        """Archive a bookable resource.

        Lists and choices no longer show it, unless `archived=true` asks for it; whatever names it stays.
        Who does it again changes nothing. It takes no more bookings; those that it has stay. Needs the
        permission `bookings:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "POST",
            "/organizations/{orgId}/resources/{resourceId}/archive",
            organization=organization,
            values={"resourceId": resource_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def availability(
        self,
        resource_id: str,
        *,
        from_: int | None = None,
        to: int | None = None,
        organization: str | None = None,
    ) -> models.Availability:
        """Show when a resource is free.

        `busy` are the bookings that overlap the window, `free` the parts of it in which a new one may lie:
        the buffer is already taken off. Nothing is free while the resource is not active or archived.
        Needs the permission `bookings:read`, or `bookings:book`.

        Args:
            from_: Unix seconds; now, when absent.
            to: Unix seconds, at most 62 days later; a week later, when absent.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Availability,
            "GET",
            "/organizations/{orgId}/resources/{resourceId}/availability",
            organization=organization,
            values={"resourceId": resource_id},
            query={"from": from_, "to": to},
        )

    async def delete_calendar_link(
        self,
        resource_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Revoke a calendar link.

        Programs that have it can no longer read the calendar. Needs the permission `bookings:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/resources/{resourceId}/calendar-link",
            organization=organization,
            values={"resourceId": resource_id},
            headers={"If-Match": if_match},
        )

    async def create_calendar_link(
        self,
        resource_id: str,
        *,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.CalendarLink:
        """Make a calendar link.

        A secret address under which calendar programs read the resource's bookings. It is shown once; a
        new one takes its place and the old one stops working. Needs the permission `bookings:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.CalendarLink,
            "POST",
            "/organizations/{orgId}/resources/{resourceId}/calendar-link",
            organization=organization,
            values={"resourceId": resource_id},
            headers={"Idempotency-Key": idempotency_key},
        )

    async def restore(
        self,
        resource_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.BookableResource:
        """Restore a bookable resource that was archived.

        It is in sight again. Who does it again changes nothing. Needs the permission `bookings:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookableResource,
            "POST",
            "/organizations/{orgId}/resources/{resourceId}/restore",
            organization=organization,
            values={"resourceId": resource_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
