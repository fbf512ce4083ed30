"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Visitors(Group):
    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.VisitorStatusLike | Sequence[models.VisitorStatusLike] | None = None,
        host_id: str | Sequence[str] | None = None,
        external_id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        expected_after: int | None = None,
        expected_before: int | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.VisitorsSortLike | Sequence[models.VisitorsSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Visitor]:
        """List visitors.

        With `status=CheckedIn` this is the evacuation list: everybody who is on site. Can be sorted by
        `expectedArrival`, `created`. Needs the permission `visitors:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            status: `CheckedIn` is who is on site.
            external_id: What another system calls it; unique within the organization and kind.
            from_: With `to`: who was to come in this time, such as a day. Who was registered without a
                time was to come at once.
            to: Who was to come before this second; see `from`.
            expected_after: Expected later than this second.
            expected_before: Expected earlier than this second.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in name, company or e-mail address.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Visitor,
            "GET",
            "/organizations/{orgId}/visitors",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "hostId": host_id,
                "externalId": external_id,
                "from": from_,
                "to": to,
                "expectedAfter": expected_after,
                "expectedBefore": expected_before,
                "updatedAfter": updated_after,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create(
        self,
        *,
        name: str,
        email: str | UnsetType | None = UNSET,
        company: str | UnsetType | None = UNSET,
        phone: str | UnsetType | None = UNSET,
        vehicle: str | UnsetType | None = UNSET,
        host_id: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        expected_arrival: int | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        check_in: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Register a visitor.

        With `checkIn` the visitor is there already: registered and checked in at once, which both events
        tell. Needs the permission `visitors:write`.

        Args:
            host_id: A user of the organization; the caller, when absent.
            expected_arrival: Unix seconds.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            check_in: For somebody who just walks in: registered and checked in at once.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "POST",
            "/organizations/{orgId}/visitors",
            organization=organization,
            body={
                "name": name,
                "email": email,
                "company": company,
                "phone": phone,
                "vehicle": vehicle,
                "hostId": host_id,
                "locationId": location_id,
                "expectedArrival": expected_arrival,
                "externalId": external_id,
                "metadata": metadata,
                "checkIn": check_in,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.VisitorStatusLike | Sequence[models.VisitorStatusLike] | None = None,
        host_id: str | Sequence[str] | None = None,
        external_id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        expected_after: int | None = None,
        expected_before: int | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.VisitorsSortLike | Sequence[models.VisitorsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export visitors as CSV.

        Needs the permission `visitors:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            status: `CheckedIn` is who is on site.
            external_id: What another system calls it; unique within the organization and kind.
            from_: With `to`: who was to come in this time, such as a day. Who was registered without a
                time was to come at once.
            to: Who was to come before this second; see `from`.
            expected_after: Expected later than this second.
            expected_before: Expected earlier than this second.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in name, company or e-mail address.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/visitors.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "hostId": host_id,
                "externalId": external_id,
                "from": from_,
                "to": to,
                "expectedAfter": expected_after,
                "expectedBefore": expected_before,
                "updatedAfter": updated_after,
                "q": q,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.VisitorStatusLike | Sequence[models.VisitorStatusLike] | None = None,
        host_id: str | Sequence[str] | None = None,
        external_id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        expected_after: int | None = None,
        expected_before: int | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.VisitorsSortLike | Sequence[models.VisitorsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Visitor]:
        """Export visitors as NDJSON.

        Needs the permission `visitors:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            status: `CheckedIn` is who is on site.
            external_id: What another system calls it; unique within the organization and kind.
            from_: With `to`: who was to come in this time, such as a day. Who was registered without a
                time was to come at once.
            to: Who was to come before this second; see `from`.
            expected_after: Expected later than this second.
            expected_before: Expected earlier than this second.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in name, company or e-mail address.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Visitor,
            "GET",
            "/organizations/{orgId}/visitors.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "hostId": host_id,
                "externalId": external_id,
                "from": from_,
                "to": to,
                "expectedAfter": expected_after,
                "expectedBefore": expected_before,
                "updatedAfter": updated_after,
                "q": q,
                "sort": sort,
            },
        )

    def batch(
        self,
        *,
        items: Sequence[models.VisitorBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.VisitorBatchReport:
        """Create, change, move and delete many visitors.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, `delete`, done in their
        order as by the operation for a visitor alone; a result for each. With `atomic` all are done or
        none is. Needs the permission `visitors:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.VisitorBatchReport,
            "POST",
            "/organizations/{orgId}/visitors/batch",
            organization=organization,
            body={"items": items, "atomic": atomic},
            headers={"Idempotency-Key": idempotency_key},
        )

    def get_by_external_id(
        self,
        external_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Read a visitor by its externalId.

        Needs the permission `visitors:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "GET",
            "/organizations/{orgId}/visitors/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    def put_by_external_id(
        self,
        external_id: str,
        *,
        name: str,
        email: str | UnsetType | None = UNSET,
        company: str | UnsetType | None = UNSET,
        phone: str | UnsetType | None = UNSET,
        vehicle: str | UnsetType | None = UNSET,
        host_id: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        expected_arrival: int | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        check_in: bool | UnsetType = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Create or replace a visitor by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `visitors:write`.

        Args:
            host_id: A user of the organization; the caller, when absent.
            expected_arrival: Unix seconds.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            check_in: For somebody who just walks in: registered and checked in at once.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "PUT",
            "/organizations/{orgId}/visitors/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "name": name,
                "email": email,
                "company": company,
                "phone": phone,
                "vehicle": vehicle,
                "hostId": host_id,
                "locationId": location_id,
                "expectedArrival": expected_arrival,
                "metadata": metadata,
                "checkIn": check_in,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
        )

    def delete(
        self,
        visitor_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Erase a visitor.

        Name, e-mail address, company, telephone number, vehicle and externalId become null and metadata
        empty, here and in every stored event; the visit itself stays. Happens by itself some time after
        the visit. Needs the permission `visitors:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/visitors/{visitorId}",
            organization=organization,
            values={"visitorId": visitor_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        visitor_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Read a visitor.

        Needs the permission `visitors:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "GET",
            "/organizations/{orgId}/visitors/{visitorId}",
            organization=organization,
            values={"visitorId": visitor_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        visitor_id: str,
        *,
        name: str | UnsetType = UNSET,
        email: str | UnsetType | None = UNSET,
        company: str | UnsetType | None = UNSET,
        phone: str | UnsetType | None = UNSET,
        vehicle: str | UnsetType | None = UNSET,
        host_id: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        expected_arrival: int | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Change a visitor.

        As long as the visitor is only registered. Needs the permission `visitors:write`.

        Args:
            expected_arrival: Unix seconds.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "PATCH",
            "/organizations/{orgId}/visitors/{visitorId}",
            organization=organization,
            values={"visitorId": visitor_id},
            body={
                "name": name,
                "email": email,
                "company": company,
                "phone": phone,
                "vehicle": vehicle,
                "hostId": host_id,
                "locationId": location_id,
                "expectedArrival": expected_arrival,
                "externalId": external_id,
                "metadata": metadata,
            },
            headers={"If-Match": if_match},
        )

    def cancel(
        self,
        visitor_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Cancel a visit.

        Needs the permission `visitors:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "POST",
            "/organizations/{orgId}/visitors/{visitorId}/cancel",
            organization=organization,
            values={"visitorId": visitor_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def check_in(
        self,
        visitor_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Check a visitor in.

        Needs the permission `visitors:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "POST",
            "/organizations/{orgId}/visitors/{visitorId}/check-in",
            organization=organization,
            values={"visitorId": visitor_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def check_out(
        self,
        visitor_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Visitor:
        """Check a visitor out.

        Needs the permission `visitors:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Visitor,
            "POST",
            "/organizations/{orgId}/visitors/{visitorId}/check-out",
            organization=organization,
            values={"visitorId": visitor_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
