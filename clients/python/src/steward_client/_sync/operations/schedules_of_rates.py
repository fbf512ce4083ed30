"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..._uploads import Source, Upload
from ..exports import Export
from ..group import Group
from ..pages import Pages


class SchedulesOfRates(Group):
    def list(
        self,
        *,
        status: models.ScheduleStatusLike | Sequence[models.ScheduleStatusLike] | None = None,
        effective_at: int | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.SorSchedulesSortLike | Sequence[models.SorSchedulesSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Schedule]:
        """List schedules of rates.

        Can be sorted by `name`, `updated`, `created`. Needs the permission `sor:read`.

        Args:
            effective_at: Only schedules that hold, or held, in this second.
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
            models.Schedule,
            "GET",
            "/organizations/{orgId}/sor/schedules",
            organization=organization,
            query={
                "status": status,
                "effectiveAt": effective_at,
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
        description: str | UnsetType | None = UNSET,
        effective_from: int | UnsetType | None = UNSET,
        effective_to: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Schedule:
        """Create a schedule of rates.

        Needs the permission `sor:write`.

        Args:
            effective_from: Unix seconds.
            effective_to: Unix seconds.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Schedule,
            "POST",
            "/organizations/{orgId}/sor/schedules",
            organization=organization,
            body={
                "name": name,
                "description": description,
                "effectiveFrom": effective_from,
                "effectiveTo": effective_to,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        status: models.ScheduleStatusLike | Sequence[models.ScheduleStatusLike] | None = None,
        effective_at: int | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.SorSchedulesSortLike | Sequence[models.SorSchedulesSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export schedules of rates as CSV.

        Needs the permission `sor:read`.

        Args:
            effective_at: Only schedules that hold, or held, in this second.
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
            "/organizations/{orgId}/sor/schedules.csv",
            organization=organization,
            query={
                "status": status,
                "effectiveAt": effective_at,
                "updatedAfter": updated_after,
                "q": q,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        status: models.ScheduleStatusLike | Sequence[models.ScheduleStatusLike] | None = None,
        effective_at: int | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.SorSchedulesSortLike | Sequence[models.SorSchedulesSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Schedule]:
        """Export schedules of rates as NDJSON.

        Needs the permission `sor:read`.

        Args:
            effective_at: Only schedules that hold, or held, in this second.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Schedule,
            "GET",
            "/organizations/{orgId}/sor/schedules.ndjson",
            organization=organization,
            query={
                "status": status,
                "effectiveAt": effective_at,
                "updatedAfter": updated_after,
                "q": q,
                "sort": sort,
            },
        )

    def delete(
        self,
        schedule_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a schedule of rates.

        Its items go with it. Needs the permission `sor:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/sor/schedules/{scheduleId}",
            organization=organization,
            values={"scheduleId": schedule_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        schedule_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Schedule:
        """Read a schedule of rates.

        Needs the permission `sor:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Schedule,
            "GET",
            "/organizations/{orgId}/sor/schedules/{scheduleId}",
            organization=organization,
            values={"scheduleId": schedule_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        schedule_id: str,
        *,
        name: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        effective_from: int | UnsetType | None = UNSET,
        effective_to: int | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Schedule:
        """Change a schedule of rates.

        Needs the permission `sor:write`.

        Args:
            effective_from: Unix seconds.
            effective_to: Unix seconds.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Schedule,
            "PATCH",
            "/organizations/{orgId}/sor/schedules/{scheduleId}",
            organization=organization,
            values={"scheduleId": schedule_id},
            body={
                "name": name,
                "description": description,
                "effectiveFrom": effective_from,
                "effectiveTo": effective_to,
            },
            headers={"If-Match": if_match},
        )

    def list_items(
        self,
        schedule_id: str,
        *,
        code: str | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.SorItemsSortLike | Sequence[models.SorItemsSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.RateItem]:
        """List schedule items.

        Can be sorted by `code`, `created`. Needs the permission `sor:read`.

        Args:
            q: Words to be found in code or description.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.RateItem,
            "GET",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items",
            organization=organization,
            values={"scheduleId": schedule_id},
            query={
                "code": code,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create_item(
        self,
        schedule_id: str,
        *,
        code: str,
        description: str,
        unit: str,
        rate_cents: int,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.RateItem:
        """Create a schedule item.

        Needs the permission `sor:write`.

        Args:
            code: Unique within the schedule.
            rate_cents: Cents for one unit.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.RateItem,
            "POST",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items",
            organization=organization,
            values={"scheduleId": schedule_id},
            body={"code": code, "description": description, "unit": unit, "rateCents": rate_cents},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_items_csv(
        self,
        schedule_id: str,
        *,
        code: str | None = None,
        q: str | None = None,
        sort: models.SorItemsSortLike | Sequence[models.SorItemsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export schedule items as CSV.

        Needs the permission `sor:read`.

        Args:
            q: Words to be found in code or description.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items.csv",
            organization=organization,
            values={"scheduleId": schedule_id},
            query={"code": code, "q": q, "sort": sort},
        )

    def export_items_ndjson(
        self,
        schedule_id: str,
        *,
        code: str | None = None,
        q: str | None = None,
        sort: models.SorItemsSortLike | Sequence[models.SorItemsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.RateItem]:
        """Export schedule items as NDJSON.

        Needs the permission `sor:read`.

        Args:
            q: Words to be found in code or description.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.RateItem,
            "GET",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items.ndjson",
            organization=organization,
            values={"scheduleId": schedule_id},
            query={"code": code, "q": q, "sort": sort},
        )

    def import_items(
        self,
        schedule_id: str,
        file: Source,
        *,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.ImportReport:
        """Import schedule items.

        Up to 10,000 rows. The columns are code, description, unit and rateCents; `id` names an item of
        this schedule that is there. A row that names a record that is there changes it: an empty cell
        clears, a column that isn't there stays. The columns of an export are all taken, and those that
        callers don't set are ignored. All rows are taken or none is; `dryRun` only tells what would happen
        and what is wrong. Needs the permission `sor:write`.

        Args:
            file: A path, an open file, bytes, or pieces of it.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.ImportReport,
            "POST",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items/import",
            organization=organization,
            values={"scheduleId": schedule_id},
            query={"dryRun": dry_run},
            upload=Upload(file),
            headers={"Idempotency-Key": idempotency_key},
        )

    def delete_item(
        self,
        schedule_id: str,
        item_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a schedule item.

        Needs the permission `sor:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items/{itemId}",
            organization=organization,
            values={"scheduleId": schedule_id, "itemId": item_id},
            headers={"If-Match": if_match},
        )

    def get_item(
        self,
        schedule_id: str,
        item_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.RateItem:
        """Read a schedule item.

        Needs the permission `sor:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.RateItem,
            "GET",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items/{itemId}",
            organization=organization,
            values={"scheduleId": schedule_id, "itemId": item_id},
            headers={"If-None-Match": if_none_match},
        )

    def update_item(
        self,
        schedule_id: str,
        item_id: str,
        *,
        code: str | UnsetType = UNSET,
        description: str | UnsetType = UNSET,
        unit: str | UnsetType = UNSET,
        rate_cents: int | UnsetType = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.RateItem:
        """Change a schedule item.

        Needs the permission `sor:write`.

        Args:
            code: Unique within the schedule.
            rate_cents: Cents for one unit.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.RateItem,
            "PATCH",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/items/{itemId}",
            organization=organization,
            values={"scheduleId": schedule_id, "itemId": item_id},
            body={"code": code, "description": description, "unit": unit, "rateCents": rate_cents},
            headers={"If-Match": if_match},
        )

    def publish(
        self,
        schedule_id: str,
        *,
        published_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Schedule:
        """Publish a schedule of rates.

        Needs at least one item, and effectiveFrom before effectiveTo (422). From then on neither the
        schedule nor its items change. The version that it supersedes ends at its effectiveFrom. Needs the
        permission `sor:write`.

        Args:
            published_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Schedule,
            "POST",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/publish",
            organization=organization,
            values={"scheduleId": schedule_id},
            body={"publishedBy": published_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def supersede(
        self,
        schedule_id: str,
        *,
        name: str | UnsetType | None = UNSET,
        effective_from: int | UnsetType | None = UNSET,
        effective_to: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Schedule:
        """Make the next version of a schedule of rates.

        Answers a draft with the same items, to be changed and published. There is one next version at a
        time; while it is a draft it can be deleted, and made anew. Needs the permission `sor:write`.

        Args:
            name: That of the version before, when absent.
            effective_from: When it takes the place of the version before.
            effective_to: Unix seconds.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Schedule,
            "POST",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/supersede",
            organization=organization,
            values={"scheduleId": schedule_id},
            body={"name": name, "effectiveFrom": effective_from, "effectiveTo": effective_to},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def withdraw(
        self,
        schedule_id: str,
        *,
        reason: str | UnsetType | None = UNSET,
        withdrawn_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Schedule:
        """Withdraw a schedule of rates.

        It ends now. Quotations keep the rates that they copied, and get no new ones from it. Needs the
        permission `sor:write`.

        Args:
            withdrawn_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Schedule,
            "POST",
            "/organizations/{orgId}/sor/schedules/{scheduleId}/withdraw",
            organization=organization,
            values={"scheduleId": schedule_id},
            body={"reason": reason, "withdrawnBy": withdrawn_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
