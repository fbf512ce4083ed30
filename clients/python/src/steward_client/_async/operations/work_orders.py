"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncWorkOrders(AsyncGroup):
    async def get_sla_policy(
        self,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.SlaPolicy:
        """Read the SLA policy.

        Needs the permission `work-orders:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.SlaPolicy,
            "GET",
            "/organizations/{orgId}/sla-policy",
            organization=organization,
            headers={"If-None-Match": if_none_match},
        )

    async def put_sla_policy(
        self,
        *,
        targets: Mapping[str, models.SlaTarget | Mapping[str, Any]],
        calendar: models.AlwaysOpen | Mapping[str, Any] | models.WeeklyHours | UnsetType = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.SlaPolicy:
        """Set the SLA policy.

        Minutes to respond and to resolve per priority, and the calendar in which they count. Orders that
        exist keep their deadlines until their priority changes or they resume. A target that the calendar
        does not reach within 10 years is refused. Needs the permission `organization:write`.

        Args:
            targets: One for each priority.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.SlaPolicy,
            "PUT",
            "/organizations/{orgId}/sla-policy",
            organization=organization,
            body={"targets": targets, "calendar": calendar},
            headers={"If-Match": if_match},
        )

    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.WorkOrderStatusLike | Sequence[models.WorkOrderStatusLike] | None = None,
        priority: models.PriorityLike | Sequence[models.PriorityLike] | None = None,
        assignee_id: str | Sequence[str] | None = None,
        reported_by: str | Sequence[str] | None = None,
        asset_id: str | Sequence[str] | None = None,
        number: int | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        overdue: bool | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.WorkOrdersSortLike | Sequence[models.WorkOrdersSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.WorkOrder]:
        """List work orders.

        Can be sorted by `slaResolutionDeadline`, `priority`, `updated`, `number`, `created`. Needs the
        permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            assignee_id: A user; `none` for orders that nobody is assigned to.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            overdue: Whether the deadline to resolve has passed while nobody completed it.
            q: Words to be found in title or description.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.WorkOrder,
            "GET",
            "/organizations/{orgId}/work-orders",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "priority": priority,
                "assigneeId": assignee_id,
                "reportedBy": reported_by,
                "assetId": asset_id,
                "number": number,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "overdue": overdue,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    async def create(
        self,
        *,
        title: str,
        description: str | UnsetType | None = UNSET,
        priority: models.PriorityLike | UnsetType = UNSET,
        location_id: str | UnsetType | None = UNSET,
        asset_id: str | UnsetType | None = UNSET,
        assignee_id: str | UnsetType | None = UNSET,
        reported_by: str | UnsetType | None = UNSET,
        checklist: Sequence[models.NewChecklistItem | Mapping[str, Any]] | UnsetType = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Create a work order.

        With `work-orders:request` alone an order is reported in one's own name, neither assigned nor given
        a checklist, and without `externalId` and `metadata`. Needs the permission `work-orders:write`, or
        `work-orders:request` for what is one's own.

        Args:
            assignee_id: A user of the organization.
            reported_by: A user of the organization; the caller, when absent.
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders",
            organization=organization,
            body={
                "title": title,
                "description": description,
                "priority": priority,
                "locationId": location_id,
                "assetId": asset_id,
                "assigneeId": assignee_id,
                "reportedBy": reported_by,
                "checklist": checklist,
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
        status: models.WorkOrderStatusLike | Sequence[models.WorkOrderStatusLike] | None = None,
        priority: models.PriorityLike | Sequence[models.PriorityLike] | None = None,
        assignee_id: str | Sequence[str] | None = None,
        reported_by: str | Sequence[str] | None = None,
        asset_id: str | Sequence[str] | None = None,
        number: int | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        overdue: bool | None = None,
        q: str | None = None,
        sort: models.WorkOrdersSortLike | Sequence[models.WorkOrdersSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export work orders as CSV.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            assignee_id: A user; `none` for orders that nobody is assigned to.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            overdue: Whether the deadline to resolve has passed while nobody completed it.
            q: Words to be found in title or description.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/work-orders.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "priority": priority,
                "assigneeId": assignee_id,
                "reportedBy": reported_by,
                "assetId": asset_id,
                "number": number,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "overdue": overdue,
                "q": q,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.WorkOrderStatusLike | Sequence[models.WorkOrderStatusLike] | None = None,
        priority: models.PriorityLike | Sequence[models.PriorityLike] | None = None,
        assignee_id: str | Sequence[str] | None = None,
        reported_by: str | Sequence[str] | None = None,
        asset_id: str | Sequence[str] | None = None,
        number: int | None = None,
        external_id: str | None = None,
        updated_after: int | None = None,
        overdue: bool | None = None,
        q: str | None = None,
        sort: models.WorkOrdersSortLike | Sequence[models.WorkOrdersSortLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.WorkOrder]:
        """Export work orders as NDJSON.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            assignee_id: A user; `none` for orders that nobody is assigned to.
            external_id: What another system calls it; unique within the organization and kind.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            overdue: Whether the deadline to resolve has passed while nobody completed it.
            q: Words to be found in title or description.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.WorkOrder,
            "GET",
            "/organizations/{orgId}/work-orders.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "priority": priority,
                "assigneeId": assignee_id,
                "reportedBy": reported_by,
                "assetId": asset_id,
                "number": number,
                "externalId": external_id,
                "updatedAfter": updated_after,
                "overdue": overdue,
                "q": q,
                "sort": sort,
            },
        )

    async def batch(
        self,
        *,
        items: Sequence[models.WorkOrderBatchItem | Mapping[str, Any]],
        atomic: bool | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrderBatchReport:
        """Create, change, move and delete many work orders.

        Up to 500 items, each with one of `create`, `change`, `replace`, `move`, `delete`, done in their
        order as by the operation for a work order alone; a result for each. With `atomic` all are done or
        none is. Needs the permission `work-orders:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrderBatchReport,
            "POST",
            "/organizations/{orgId}/work-orders/batch",
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
    ) -> models.WorkOrder:
        """Read a work order by its externalId.

        Needs the permission `work-orders:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "GET",
            "/organizations/{orgId}/work-orders/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            headers={"If-None-Match": if_none_match},
        )

    async def put_by_external_id(
        self,
        external_id: str,
        *,
        title: str,
        description: str | UnsetType | None = UNSET,
        priority: models.PriorityLike | UnsetType = UNSET,
        location_id: str | UnsetType | None = UNSET,
        asset_id: str | UnsetType | None = UNSET,
        assignee_id: str | UnsetType | None = UNSET,
        reported_by: str | UnsetType | None = UNSET,
        checklist: Sequence[models.NewChecklistItem | Mapping[str, Any]] | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        if_match: str | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Create or replace a work order by its externalId.

        201 where it was made, 200 where it was there. Replacing takes the body for the whole record: what
        is absent becomes what it is in a new one, and the state stays. Equal content changes nothing.
        Needs the permission `work-orders:write`.

        Args:
            assignee_id: A user of the organization.
            reported_by: A user of the organization; the caller, when absent.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            if_match: The ETag last seen; 412 when the resource has changed since.
            if_none_match: `*` to create only; 412 when it is there already.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "PUT",
            "/organizations/{orgId}/work-orders/by-external-id/{externalId}",
            organization=organization,
            values={"externalId": external_id},
            body={
                "title": title,
                "description": description,
                "priority": priority,
                "locationId": location_id,
                "assetId": asset_id,
                "assigneeId": assignee_id,
                "reportedBy": reported_by,
                "checklist": checklist,
                "metadata": metadata,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
        )

    async def delete(
        self,
        work_order_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a work order.

        Needs the permission `work-orders:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/work-orders/{workOrderId}",
            organization=organization,
            values={"workOrderId": work_order_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        work_order_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Read a work order.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "GET",
            "/organizations/{orgId}/work-orders/{workOrderId}",
            organization=organization,
            values={"workOrderId": work_order_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        work_order_id: str,
        *,
        title: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        priority: models.PriorityLike | UnsetType = UNSET,
        location_id: str | UnsetType | None = UNSET,
        asset_id: str | UnsetType | None = UNSET,
        assignee_id: str | UnsetType | None = UNSET,
        checklist: Sequence[models.NewChecklistItem | Mapping[str, Any]] | UnsetType | None = UNSET,
        external_id: str | UnsetType | None = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
        status: models.WorkOrderStatusLike | UnsetType = UNSET,
        hold_reason: str | UnsetType = UNSET,
        cancel_reason: str | UnsetType = UNSET,
        completed_by: str | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Change a work order.

        A changed status performs the move that leads there. Completed and cancelled orders stay as they
        are. Needs the permission `work-orders:write`.

        Args:
            external_id: What another system calls it; unique within the organization and kind.
            metadata: Free-form: whatever other systems keep with it. Replaced as a whole.
            completed_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "PATCH",
            "/organizations/{orgId}/work-orders/{workOrderId}",
            organization=organization,
            values={"workOrderId": work_order_id},
            body={
                "title": title,
                "description": description,
                "priority": priority,
                "locationId": location_id,
                "assetId": asset_id,
                "assigneeId": assignee_id,
                "checklist": checklist,
                "externalId": external_id,
                "metadata": metadata,
                "status": status,
                "holdReason": hold_reason,
                "cancelReason": cancel_reason,
                "completedBy": completed_by,
            },
            headers={"If-Match": if_match},
        )

    async def cancel(
        self,
        work_order_id: str,
        *,
        reason: str,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Cancel a work order.

        Needs the permission `work-orders:write`, or `work-orders:request` for what is one's own.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/cancel",
            organization=organization,
            values={"workOrderId": work_order_id},
            body={"reason": reason},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def list_comments(
        self,
        work_order_id: str,
        *,
        visibility: models.CommentVisibilityLike | Sequence[models.CommentVisibilityLike] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Comment]:
        """List the comments on a work order.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Comment,
            "GET",
            "/organizations/{orgId}/work-orders/{workOrderId}/comments",
            organization=organization,
            values={"workOrderId": work_order_id},
            query={"visibility": visibility, "limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    async def create_comment(
        self,
        work_order_id: str,
        *,
        text: str,
        visibility: models.CommentVisibilityLike | UnsetType | None = UNSET,
        created_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Comment:
        """Comment on a work order.

        Possible in every state. The reporter of the order, who may have `work-orders:request` alone, sees
        comments with the visibility `reporter`. Needs the permission `work-orders:write`, or
        `work-orders:request` for what is one's own.

        Args:
            visibility: `team` when absent; with `work-orders:request` alone `reporter`, and nothing else
                (403).
            created_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Comment,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/comments",
            organization=organization,
            values={"workOrderId": work_order_id},
            body={"text": text, "visibility": visibility, "createdBy": created_by},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_comments_csv(
        self,
        work_order_id: str,
        *,
        visibility: models.CommentVisibilityLike | Sequence[models.CommentVisibilityLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export the comments on a work order as CSV.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/work-orders/{workOrderId}/comments.csv",
            organization=organization,
            values={"workOrderId": work_order_id},
            query={"visibility": visibility},
        )

    def export_comments_ndjson(
        self,
        work_order_id: str,
        *,
        visibility: models.CommentVisibilityLike | Sequence[models.CommentVisibilityLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Comment]:
        """Export the comments on a work order as NDJSON.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.Comment,
            "GET",
            "/organizations/{orgId}/work-orders/{workOrderId}/comments.ndjson",
            organization=organization,
            values={"workOrderId": work_order_id},
            query={"visibility": visibility},
        )

    async def get_comment(
        self,
        work_order_id: str,
        comment_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Comment:
        """Read a comment on a work order.

        Needs the permission `work-orders:read`, or `work-orders:request` for what is one's own.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Comment,
            "GET",
            "/organizations/{orgId}/work-orders/{workOrderId}/comments/{commentId}",
            organization=organization,
            values={"workOrderId": work_order_id, "commentId": comment_id},
            headers={"If-None-Match": if_none_match},
        )

    async def complete(
        self,
        work_order_id: str,
        *,
        completed_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Complete a work order.

        Needs the permission `work-orders:write`.

        Args:
            completed_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/complete",
            organization=organization,
            values={"workOrderId": work_order_id},
            body={"completedBy": completed_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def hold(
        self,
        work_order_id: str,
        *,
        reason: str,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Put a work order on hold.

        Needs the permission `work-orders:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/hold",
            organization=organization,
            values={"workOrderId": work_order_id},
            body={"reason": reason},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def reopen(
        self,
        work_order_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Reopen a work order.

        Needs the permission `work-orders:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/reopen",
            organization=organization,
            values={"workOrderId": work_order_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def resume(
        self,
        work_order_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Resume a work order.

        Needs the permission `work-orders:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/resume",
            organization=organization,
            values={"workOrderId": work_order_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def start(
        self,
        work_order_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WorkOrder:
        """Start a work order.

        Needs the permission `work-orders:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WorkOrder,
            "POST",
            "/organizations/{orgId}/work-orders/{workOrderId}/start",
            organization=organization,
            values={"workOrderId": work_order_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
