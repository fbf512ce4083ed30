"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncAlertRules(AsyncGroup):
    def list(
        self,
        *,
        asset_type_id: str | Sequence[str] | None = None,
        asset_id: str | Sequence[str] | None = None,
        severity: models.SeverityLike | Sequence[models.SeverityLike] | None = None,
        enabled: bool | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.AlertRule]:
        """List alert rules.

        Needs the permission `assets:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.AlertRule,
            "GET",
            "/organizations/{orgId}/alert-rules",
            organization=organization,
            query={
                "assetTypeId": asset_type_id,
                "assetId": asset_id,
                "severity": severity,
                "enabled": enabled,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
            },
        )

    async def create(
        self,
        *,
        name: str,
        severity: models.SeverityLike,
        asset_type_id: str | UnsetType | None = UNSET,
        asset_id: str | UnsetType | None = UNSET,
        match: models.ConditionMatchLike | UnsetType = UNSET,
        conditions: Sequence[models.Condition | Mapping[str, Any]] | UnsetType = UNSET,
        for_seconds: int | UnsetType = UNSET,
        clear_for_seconds: int | UnsetType = UNSET,
        hysteresis: float | UnsetType = UNSET,
        no_data_seconds: int | UnsetType | None = UNSET,
        enabled: bool | UnsetType = UNSET,
        work_order: models.AlertWorkOrder | Mapping[str, Any] | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.AlertRule:
        """Create an alert rule.

        When the answer comes, the assets that the rule is for show what it finds about them; where they
        are very many, the last of them follow shortly after. Needs the permission `assets:write`.

        Args:
            asset_type_id: Watch all assets of this type.
            asset_id: Watch this asset.
            for_seconds: How long the conditions have to be met before there is an alert.
            clear_for_seconds: How long they have to be unmet again before it is cleared.
            hysteresis: How far beyond its threshold a value has to return before it counts as such.
            no_data_seconds: Seconds without a reading that are an alert in themselves; null: none are.
            work_order: Null where alerts open no work order.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AlertRule,
            "POST",
            "/organizations/{orgId}/alert-rules",
            organization=organization,
            body={
                "name": name,
                "severity": severity,
                "assetTypeId": asset_type_id,
                "assetId": asset_id,
                "match": match,
                "conditions": conditions,
                "forSeconds": for_seconds,
                "clearForSeconds": clear_for_seconds,
                "hysteresis": hysteresis,
                "noDataSeconds": no_data_seconds,
                "enabled": enabled,
                "workOrder": work_order,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        asset_type_id: str | Sequence[str] | None = None,
        asset_id: str | Sequence[str] | None = None,
        severity: models.SeverityLike | Sequence[models.SeverityLike] | None = None,
        enabled: bool | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export alert rules as CSV.

        Needs the permission `assets:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/alert-rules.csv",
            organization=organization,
            query={
                "assetTypeId": asset_type_id,
                "assetId": asset_id,
                "severity": severity,
                "enabled": enabled,
            },
        )

    def export_ndjson(
        self,
        *,
        asset_type_id: str | Sequence[str] | None = None,
        asset_id: str | Sequence[str] | None = None,
        severity: models.SeverityLike | Sequence[models.SeverityLike] | None = None,
        enabled: bool | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.AlertRule]:
        """Export alert rules as NDJSON.

        Needs the permission `assets:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.AlertRule,
            "GET",
            "/organizations/{orgId}/alert-rules.ndjson",
            organization=organization,
            query={
                "assetTypeId": asset_type_id,
                "assetId": asset_id,
                "severity": severity,
                "enabled": enabled,
            },
        )

    async def delete(
        self,
        alert_rule_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete an alert rule.

        Its open alerts are cleared before the answer comes; all of its alerts can still be read. Needs the
        permission `assets:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/organizations/{orgId}/alert-rules/{alertRuleId}",
            organization=organization,
            values={"alertRuleId": alert_rule_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        alert_rule_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.AlertRule:
        """Read an alert rule.

        Needs the permission `assets:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AlertRule,
            "GET",
            "/organizations/{orgId}/alert-rules/{alertRuleId}",
            organization=organization,
            values={"alertRuleId": alert_rule_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        alert_rule_id: str,
        *,
        name: str | UnsetType = UNSET,
        severity: models.SeverityLike | UnsetType = UNSET,
        match: models.ConditionMatchLike | UnsetType | None = UNSET,
        conditions: Sequence[models.Condition | Mapping[str, Any]] | UnsetType | None = UNSET,
        for_seconds: int | UnsetType | None = UNSET,
        clear_for_seconds: int | UnsetType | None = UNSET,
        hysteresis: float | UnsetType | None = UNSET,
        no_data_seconds: int | UnsetType | None = UNSET,
        enabled: bool | UnsetType = UNSET,
        work_order: models.AlertWorkOrder | Mapping[str, Any] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.AlertRule:
        """Change an alert rule.

        When the answer comes, the assets that the rule is for show what it finds about them; where they
        are very many, the last of them follow shortly after. Needs the permission `assets:write`.

        Args:
            for_seconds: How long the conditions have to be met before there is an alert.
            clear_for_seconds: How long they have to be unmet again before it is cleared.
            hysteresis: How far beyond its threshold a value has to return before it counts as such.
            no_data_seconds: Seconds without a reading that are an alert in themselves; null: none are.
            work_order: Null where alerts open no work order.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AlertRule,
            "PATCH",
            "/organizations/{orgId}/alert-rules/{alertRuleId}",
            organization=organization,
            values={"alertRuleId": alert_rule_id},
            body={
                "name": name,
                "severity": severity,
                "match": match,
                "conditions": conditions,
                "forSeconds": for_seconds,
                "clearForSeconds": clear_for_seconds,
                "hysteresis": hysteresis,
                "noDataSeconds": no_data_seconds,
                "enabled": enabled,
                "workOrder": work_order,
            },
            headers={"If-Match": if_match},
        )
