"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Alerts(Group):
    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.AlertStatusLike | Sequence[models.AlertStatusLike] | None = None,
        severity: models.SeverityLike | Sequence[models.SeverityLike] | None = None,
        asset_id: str | Sequence[str] | None = None,
        rule_id: str | Sequence[str] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.AlertsSortLike | Sequence[models.AlertsSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Alert]:
        """List alerts.

        Can be sorted by `firstSeen`. Needs the permission `iot:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Alert,
            "GET",
            "/organizations/{orgId}/alerts",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "severity": severity,
                "assetId": asset_id,
                "ruleId": rule_id,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def export_csv(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.AlertStatusLike | Sequence[models.AlertStatusLike] | None = None,
        severity: models.SeverityLike | Sequence[models.SeverityLike] | None = None,
        asset_id: str | Sequence[str] | None = None,
        rule_id: str | Sequence[str] | None = None,
        sort: models.AlertsSortLike | Sequence[models.AlertsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export alerts as CSV.

        Needs the permission `iot:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/alerts.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "severity": severity,
                "assetId": asset_id,
                "ruleId": rule_id,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        status: models.AlertStatusLike | Sequence[models.AlertStatusLike] | None = None,
        severity: models.SeverityLike | Sequence[models.SeverityLike] | None = None,
        asset_id: str | Sequence[str] | None = None,
        rule_id: str | Sequence[str] | None = None,
        sort: models.AlertsSortLike | Sequence[models.AlertsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Alert]:
        """Export alerts as NDJSON.

        Needs the permission `iot:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Alert,
            "GET",
            "/organizations/{orgId}/alerts.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "status": status,
                "severity": severity,
                "assetId": asset_id,
                "ruleId": rule_id,
                "sort": sort,
            },
        )

    def get(
        self,
        alert_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Alert:
        """Read an alert.

        Needs the permission `iot:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Alert,
            "GET",
            "/organizations/{orgId}/alerts/{alertId}",
            organization=organization,
            values={"alertId": alert_id},
            headers={"If-None-Match": if_none_match},
        )

    def acknowledge(
        self,
        alert_id: str,
        *,
        acknowledged_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Alert:
        """Acknowledge an alert.

        Records that the caller has seen it. It stays open until its condition ends. Needs the permission
        `iot:write`.

        Args:
            acknowledged_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Alert,
            "POST",
            "/organizations/{orgId}/alerts/{alertId}/acknowledge",
            organization=organization,
            values={"alertId": alert_id},
            body={"acknowledgedBy": acknowledged_by},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )
