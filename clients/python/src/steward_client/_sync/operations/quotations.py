"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Quotations(Group):
    def list(
        self,
        *,
        status: models.QuotationStatusLike | Sequence[models.QuotationStatusLike] | None = None,
        schedule_id: str | Sequence[str] | None = None,
        work_order_id: str | Sequence[str] | None = None,
        updated_after: int | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.SorQuotationsSortLike | Sequence[models.SorQuotationsSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Quotation]:
        """List quotations.

        Can be sorted by `updated`, `created`. Needs the permission `sor:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Quotation,
            "GET",
            "/organizations/{orgId}/sor/quotations",
            organization=organization,
            query={
                "status": status,
                "scheduleId": schedule_id,
                "workOrderId": work_order_id,
                "updatedAfter": updated_after,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create(
        self,
        *,
        schedule_id: str,
        work_order_id: str | UnsetType | None = UNSET,
        line_items: Sequence[models.NewLineItem | Mapping[str, Any]] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Quotation:
        """Create a quotation.

        A line with `itemId` copies code, description, unit and rate from the schedule's item; one without
        is a star rate and brings its own. Each line is rounded half up to a cent; the total is their sum.
        Needs the permission `sor:write`.

        Args:
            schedule_id: Must be published and in effect.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Quotation,
            "POST",
            "/organizations/{orgId}/sor/quotations",
            organization=organization,
            body={"scheduleId": schedule_id, "workOrderId": work_order_id, "lineItems": line_items},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        status: models.QuotationStatusLike | Sequence[models.QuotationStatusLike] | None = None,
        schedule_id: str | Sequence[str] | None = None,
        work_order_id: str | Sequence[str] | None = None,
        updated_after: int | None = None,
        sort: models.SorQuotationsSortLike | Sequence[models.SorQuotationsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export quotations as CSV.

        Needs the permission `sor:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/sor/quotations.csv",
            organization=organization,
            query={
                "status": status,
                "scheduleId": schedule_id,
                "workOrderId": work_order_id,
                "updatedAfter": updated_after,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        status: models.QuotationStatusLike | Sequence[models.QuotationStatusLike] | None = None,
        schedule_id: str | Sequence[str] | None = None,
        work_order_id: str | Sequence[str] | None = None,
        updated_after: int | None = None,
        sort: models.SorQuotationsSortLike | Sequence[models.SorQuotationsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Quotation]:
        """Export quotations as NDJSON.

        Needs the permission `sor:read`.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Quotation,
            "GET",
            "/organizations/{orgId}/sor/quotations.ndjson",
            organization=organization,
            query={
                "status": status,
                "scheduleId": schedule_id,
                "workOrderId": work_order_id,
                "updatedAfter": updated_after,
                "sort": sort,
            },
        )

    def delete(
        self,
        quotation_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a quotation.

        Needs the permission `sor:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/sor/quotations/{quotationId}",
            organization=organization,
            values={"quotationId": quotation_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        quotation_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Quotation:
        """Read a quotation.

        Needs the permission `sor:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Quotation,
            "GET",
            "/organizations/{orgId}/sor/quotations/{quotationId}",
            organization=organization,
            values={"quotationId": quotation_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        quotation_id: str,
        *,
        work_order_id: str | UnsetType | None = UNSET,
        line_items: Sequence[models.NewLineItem | Mapping[str, Any]] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Quotation:
        """Change a quotation.

        Needs the permission `sor:write`.

        Args:
            line_items: Replaces all lines.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Quotation,
            "PATCH",
            "/organizations/{orgId}/sor/quotations/{quotationId}",
            organization=organization,
            values={"quotationId": quotation_id},
            body={"workOrderId": work_order_id, "lineItems": line_items},
            headers={"If-Match": if_match},
        )

    def approve(
        self,
        quotation_id: str,
        *,
        approved_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Quotation:
        """Approve a quotation.

        Who submitted it may not approve it (403), nor may an API key that this person made, unless it
        names another who did (`users:act-as`). Needs the permission `sor:approve`.

        Args:
            approved_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Quotation,
            "POST",
            "/organizations/{orgId}/sor/quotations/{quotationId}/approve",
            organization=organization,
            values={"quotationId": quotation_id},
            body={"approvedBy": approved_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def reject(
        self,
        quotation_id: str,
        *,
        reason: str,
        rejected_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Quotation:
        """Reject a quotation.

        Takes it back to Draft; the reason stays with it. Needs the permission `sor:approve`.

        Args:
            rejected_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Quotation,
            "POST",
            "/organizations/{orgId}/sor/quotations/{quotationId}/reject",
            organization=organization,
            values={"quotationId": quotation_id},
            body={"reason": reason, "rejectedBy": rejected_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def submit(
        self,
        quotation_id: str,
        *,
        submitted_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Quotation:
        """Submit a quotation.

        Needs at least one line (422). Rates that were copied while they held may be submitted later, too.
        Needs the permission `sor:write`.

        Args:
            submitted_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Quotation,
            "POST",
            "/organizations/{orgId}/sor/quotations/{quotationId}/submit",
            organization=organization,
            values={"quotationId": quotation_id},
            body={"submittedBy": submitted_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
