"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncBookings(AsyncGroup):
    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        resource_id: str | Sequence[str] | None = None,
        booked_by: str | Sequence[str] | None = None,
        status: models.BookingStatusLike | Sequence[models.BookingStatusLike] | None = None,
        series_id: str | Sequence[str] | None = None,
        external_id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        starts_after: int | None = None,
        starts_before: int | None = None,
        ends_after: int | None = None,
        updated_after: int | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.BookingsSortLike | Sequence[models.BookingsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Booking]:
        """List bookings.

        Can be sorted by `startTime`, `updated`, `created`. Needs the permission `bookings:read`, or
        `bookings:book` with which bookings of others show neither who nor what for.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            series_id: The dates of one recurring booking.
            external_id: What another system calls it; unique within the organization and kind.
            from_: With `to`: what touches this time, such as a day; what ended in this second doesn't.
            to: What begins before this second; see `from`.
            starts_after: Unix seconds.
            starts_before: Unix seconds.
            ends_after: Unix seconds.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Booking,
            "GET",
            "/organizations/{orgId}/bookings",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "resourceId": resource_id,
                "bookedBy": booked_by,
                "status": status,
                "seriesId": series_id,
                "externalId": external_id,
                "from": from_,
                "to": to,
                "startsAfter": starts_after,
                "startsBefore": starts_before,
                "endsAfter": ends_after,
                "updatedAfter": updated_after,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    async def create(
        self,
        *,
        resource_id: str,
        start_time: int,
        end_time: int,
        title: str | UnsetType | None = UNSET,
        booked_by: str | UnsetType | None = UNSET,
        attendees: Sequence[models.Attendee | Mapping[str, Any]] | UnsetType = UNSET,
        recurrence: str | UnsetType | None = UNSET,
        exceptions: Sequence[str] | UnsetType = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Booking:
        """Book a resource.

        From startTime up to, not including, endTime; at most 31 days, and not wholly in the past. With a
        `recurrence` every date of it becomes a booking of its own, or none does; the answer is the first
        of them, and `seriesId` finds the others. With `bookings:book` alone a booking has no `externalId`
        and no `metadata`. Needs the permission `bookings:write`, or `bookings:book` for what is one's own.

        Args:
            start_time: Unix seconds.
            end_time: Unix seconds.
            booked_by: A user of the organization; the caller, when absent.
            attendees: Who comes; each e-mail address once.
            recurrence: A rule of RFC 5545 (`RRULE`) with COUNT or UNTIL, from days to years, for at most
                366 dates and ten years. Its dates keep their time of day in the location's zone;
                `startTime` is the first of them.
            exceptions: Days of the recurrence that are left out.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "POST",
            "/organizations/{orgId}/bookings",
            organization=organization,
            body={
                "resourceId": resource_id,
                "startTime": start_time,
                "endTime": end_time,
                "title": title,
                "bookedBy": booked_by,
                "attendees": attendees,
                "recurrence": recurrence,
                "exceptions": exceptions,
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
        resource_id: str | Sequence[str] | None = None,
        booked_by: str | Sequence[str] | None = None,
        status: models.BookingStatusLike | Sequence[models.BookingStatusLike] | None = None,
        series_id: str | Sequence[str] | None = None,
        external_id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        starts_after: int | None = None,
        starts_before: int | None = None,
        ends_after: int | None = None,
        updated_after: int | None = None,
        sort: models.BookingsSortLike | Sequence[models.BookingsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export bookings as CSV.

        Needs the permission `bookings:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            series_id: The dates of one recurring booking.
            external_id: What another system calls it; unique within the organization and kind.
            from_: With `to`: what touches this time, such as a day; what ended in this second doesn't.
            to: What begins before this second; see `from`.
            starts_after: Unix seconds.
            starts_before: Unix seconds.
            ends_after: Unix seconds.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/bookings.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "resourceId": resource_id,
                "bookedBy": booked_by,
                "status": status,
                "seriesId": series_id,
                "externalId": external_id,
                "from": from_,
                "to": to,
                "startsAfter": starts_after,
                "startsBefore": starts_before,
                "endsAfter": ends_after,
                "updatedAfter": updated_after,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        resource_id: str | Sequence[str] | None = None,
        booked_by: str | Sequence[str] | None = None,
        status: models.BookingStatusLike | Sequence[models.BookingStatusLike] | None = None,
        series_id: str | Sequence[str] | None = None,
        external_id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        starts_after: int | None = None,
        starts_before: int | None = None,
        ends_after: int | None = None,
        updated_after: int | None = None,
        sort: models.BookingsSortLike | Sequence[models.BookingsSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Booking]:
        """Export bookings as NDJSON.

        Needs the permission `bookings:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            series_id: The dates of one recurring booking.
            external_id: What another system calls it; unique within the organization and kind.
            from_: With `to`: what touches this time, such as a day; what ended in this second doesn't.
            to: What begins before this second; see `from`.
            starts_after: Unix seconds.
            starts_before: Unix seconds.
            ends_after: Unix seconds.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Booking,
            "GET",
            "/organizations/{orgId}/bookings.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "resourceId": resource_id,
                "bookedBy": booked_by,
                "status": status,
                "seriesId": series_id,
                "externalId": external_id,
                "from": from_,
                "to": to,
                "startsAfter": starts_after,
                "startsBefore": starts_before,
                "endsAfter": ends_after,
                "updatedAfter": updated_after,
                "sort": sort,
            },
        )

    async def batch(
        self,
        *,
        items: Sequence[models.BookingBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.BookingBatchReport:
        """Create, change and move many bookings.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, done in their order as by
        the operation for a booking alone; a result for each. With `atomic` all are done or none is. Needs
        the permission `bookings:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BookingBatchReport,
            "POST",
            "/organizations/{orgId}/bookings/batch",
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
    ) -> models.Booking:
        """Read a booking by its externalId.

        Needs the permission `bookings:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "GET",
            "/organizations/{orgId}/bookings/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    async def put_by_external_id(
        self,
        external_id: str,
        *,
        resource_id: str,
        start_time: int,
        end_time: int,
        title: str | UnsetType | None = UNSET,
        booked_by: str | UnsetType | None = UNSET,
        attendees: Sequence[models.Attendee | Mapping[str, Any]] | UnsetType = UNSET,
        recurrence: str | UnsetType | None = UNSET,
        exceptions: Sequence[str] | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Booking:
        """Create or replace a booking by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `bookings:write`.

        Args:
            start_time: Unix seconds.
            end_time: Unix seconds.
            booked_by: A user of the organization; the caller, when absent.
            attendees: Who comes; each e-mail address once.
            recurrence: A rule of RFC 5545 (`RRULE`) with COUNT or UNTIL, from days to years, for at most
                366 dates and ten years. Its dates keep their time of day in the location's zone;
                `startTime` is the first of them.
            exceptions: Days of the recurrence that are left out.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "PUT",
            "/organizations/{orgId}/bookings/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "resourceId": resource_id,
                "startTime": start_time,
                "endTime": end_time,
                "title": title,
                "bookedBy": booked_by,
                "attendees": attendees,
                "recurrence": recurrence,
                "exceptions": exceptions,
                "metadata": metadata,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
        )

    async def get(
        self,
        booking_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Booking:
        """Read a booking.

        Needs the permission `bookings:read`, or `bookings:book` with which bookings of others show neither
        who nor what for.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "GET",
            "/organizations/{orgId}/bookings/{bookingId}",
            organization=organization,
            values={"bookingId": booking_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        booking_id: str,
        *,
        resource_id: str | UnsetType = UNSET,
        start_time: int | UnsetType = UNSET,
        end_time: int | UnsetType = UNSET,
        title: str | UnsetType | None = UNSET,
        attendees: Sequence[models.Attendee | Mapping[str, Any]] | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        scope: models.ScopeLike | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Booking:
        """Change a booking.

        With a scope, other dates of a recurring booking change in the same way: their times by the same
        difference on the clock of the location. All of them do, or none. Needs the permission
        `bookings:write`, or `bookings:book` for what is one's own.

        Args:
            start_time: Unix seconds.
            end_time: Unix seconds.
            attendees: Who comes; each e-mail address once.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            scope: Of a recurring booking: this date, this and those after it, or all. What has begun stays
                as it is, and dates that were changed by themselves stay unless they are cancelled.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "PATCH",
            "/organizations/{orgId}/bookings/{bookingId}",
            organization=organization,
            values={"bookingId": booking_id},
            query={"scope": scope},
            body={
                "resourceId": resource_id,
                "startTime": start_time,
                "endTime": end_time,
                "title": title,
                "attendees": attendees,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"If-Match": if_match},
        )

    async def cancel(
        self,
        booking_id: str,
        *,
        cancelled_by: str | UnsetType | None = UNSET,
        scope: models.ScopeLike | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Booking:
        """Cancel a booking.

        Needs the permission `bookings:write`, or `bookings:book` for what is one's own.

        Args:
            cancelled_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            scope: Of a recurring booking: this date, this and those after it, or all. What has begun stays
                as it is, and dates that were changed by themselves stay unless they are cancelled.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "POST",
            "/organizations/{orgId}/bookings/{bookingId}/cancel",
            organization=organization,
            values={"bookingId": booking_id},
            query={"scope": scope},
            body={"cancelledBy": cancelled_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def check_in(
        self,
        booking_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Booking:
        """Check in to a booking.

        From 15 minutes before the start (or the resource's buffer, if that is longer) until the end. Needs
        the permission `bookings:write`, or `bookings:book` for what is one's own.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Booking,
            "POST",
            "/organizations/{orgId}/bookings/{bookingId}/check-in",
            organization=organization,
            values={"bookingId": booking_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
