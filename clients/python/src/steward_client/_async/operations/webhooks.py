"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncWebhooks(AsyncGroup):
    def list(
        self,
        *,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Webhook]:
        """List webhooks.

        Needs the permission `webhooks:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Webhook,
            "GET",
            "/v2/organizations/{orgId}/webhooks",
            organization=organization,
            query={"limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    async def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        description: str | UnsetType | None = UNSET,
        filtering: models.Filtering | Mapping[str, Any] | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.WebhookWithSecret:
        """Create a webhook.

        The signing secret is shown in this answer and never again. An organization has at most 50
        webhooks. Needs the permission `webhooks:write`.

        Args:
            url: https, without user name or password, at a public address.
            events: Event types, groups such as `asset.*`, or `*` for all; see `/v2/event-types`.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WebhookWithSecret,
            "POST",
            "/v2/organizations/{orgId}/webhooks",
            organization=organization,
            body={"url": url, "events": events, "description": description, "filtering": filtering},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export webhooks as CSV.

        Needs the permission `webhooks:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any], "GET", "/v2/organizations/{orgId}/webhooks.csv", organization=organization
        )

    def export_ndjson(
        self,
        *,
        organization: str | None = None,
    ) -> AsyncExport[models.Webhook]:
        """Export webhooks as NDJSON.

        Needs the permission `webhooks:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.Webhook, "GET", "/v2/organizations/{orgId}/webhooks.ndjson", organization=organization
        )

    async def delete(
        self,
        webhook_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a webhook.

        Its pending deliveries are cancelled. Needs the permission `webhooks:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/v2/organizations/{orgId}/webhooks/{webhookId}",
            organization=organization,
            values={"webhookId": webhook_id},
            headers={"If-Match": if_match},
        )

    async def get(
        self,
        webhook_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Webhook:
        """Read a webhook.

        Needs the permission `webhooks:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Webhook,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}",
            organization=organization,
            values={"webhookId": webhook_id},
            headers={"If-None-Match": if_none_match},
        )

    async def update(
        self,
        webhook_id: str,
        *,
        url: str | UnsetType = UNSET,
        events: Sequence[str] | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        filtering: models.Filtering | Mapping[str, Any] | UnsetType | None = UNSET,
        status: models.ChosenStatusLike | UnsetType = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Webhook:
        """Change a webhook.

        A new address also gets the pending deliveries of the old one, and the secret stays. Pausing skips
        pending deliveries; `active` ends a pause and enables a disabled webhook. Needs the permission
        `webhooks:write`.

        Args:
            url: https, without user name or password, at a public address.
            events: Event types, groups such as `asset.*`, or `*` for all; see `/v2/event-types`.
            status: `active` also takes a disabled webhook back.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Webhook,
            "PATCH",
            "/v2/organizations/{orgId}/webhooks/{webhookId}",
            organization=organization,
            values={"webhookId": webhook_id},
            body={
                "url": url,
                "events": events,
                "description": description,
                "filtering": filtering,
                "status": status,
            },
            headers={"If-Match": if_match},
        )

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: models.DeliveryStatusLike | Sequence[models.DeliveryStatusLike] | None = None,
        event_id: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Delivery]:
        """List the deliveries of a webhook.

        By the time of their events, newest first, for 30 days; those of a deleted webhook, too. Events
        that you may not read are left out. Needs the permission `webhooks:read`.

        Args:
            type: Event types, or groups such as `workorder.*`; several are separated by commas.
            created_after: Only deliveries of events of this second and later.
            created_before: Only deliveries of events before this second.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Delivery,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries",
            organization=organization,
            values={"webhookId": webhook_id},
            query={
                "status": status,
                "eventId": event_id,
                "type": type,
                "createdAfter": created_after,
                "createdBefore": created_before,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
            },
        )

    def export_deliveries_csv(
        self,
        webhook_id: str,
        *,
        status: models.DeliveryStatusLike | Sequence[models.DeliveryStatusLike] | None = None,
        event_id: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export the deliveries of a webhook as CSV.

        Needs the permission `webhooks:read`.

        Args:
            type: Event types, or groups such as `workorder.*`; several are separated by commas.
            created_after: Only deliveries of events of this second and later.
            created_before: Only deliveries of events before this second.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries.csv",
            organization=organization,
            values={"webhookId": webhook_id},
            query={
                "status": status,
                "eventId": event_id,
                "type": type,
                "createdAfter": created_after,
                "createdBefore": created_before,
            },
        )

    def export_deliveries_ndjson(
        self,
        webhook_id: str,
        *,
        status: models.DeliveryStatusLike | Sequence[models.DeliveryStatusLike] | None = None,
        event_id: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Delivery]:
        """Export the deliveries of a webhook as NDJSON.

        Needs the permission `webhooks:read`.

        Args:
            type: Event types, or groups such as `workorder.*`; several are separated by commas.
            created_after: Only deliveries of events of this second and later.
            created_before: Only deliveries of events before this second.
            organization: Another one than the client's.
        """
        return self._export(
            models.Delivery,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries.ndjson",
            organization=organization,
            values={"webhookId": webhook_id},
            query={
                "status": status,
                "eventId": event_id,
                "type": type,
                "createdAfter": created_after,
                "createdBefore": created_before,
            },
        )

    async def get_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.DeliveryDetails:
        """Read a delivery with its attempts.

        Needs the permission `webhooks:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.DeliveryDetails,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries/{deliveryId}",
            organization=organization,
            values={"webhookId": webhook_id, "deliveryId": delivery_id},
            headers={"If-None-Match": if_none_match},
        )

    async def retry_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.DeliveryDetails:
        """Retry a delivery.

        Sends it as soon as possible, whatever its state. A success ends the delivery; after a failure it
        goes on with what its retry schedule has left, so that one which had failed for good gets one more
        attempt. Needs the permission `webhooks:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.DeliveryDetails,
            "POST",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry",
            organization=organization,
            values={"webhookId": webhook_id, "deliveryId": delivery_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def list_replays(
        self,
        webhook_id: str,
        *,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Replay]:
        """List the replays of a webhook.

        Needs the permission `webhooks:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Replay,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/replays",
            organization=organization,
            values={"webhookId": webhook_id},
            query={"limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    async def create_replay(
        self,
        webhook_id: str,
        *,
        since: int,
        until: int,
        only: models.ReplaySelectionLike,
        types: Sequence[str] | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Replay:
        """Start a replay.

        Queues deliveries of a span of time again, also of events from before the webhook subscribed to
        them. Runs in the background, waits while the webhook isn't active, and can be watched and
        cancelled. Needs the permission `webhooks:write`.

        Args:
            since: From events of this second on; at most 30 days back.
            until: Up to events of this second; the present at the latest.
            only: `failed` and `skipped` queue such deliveries again; `all` queues every event that the
                webhook's subscription or `types`, and its filter, let through, whether or not it was
                delivered before.
            types: Only these event types or groups; all that apply when absent.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Replay,
            "POST",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/replays",
            organization=organization,
            values={"webhookId": webhook_id},
            body={"since": since, "until": until, "only": only, "types": types},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_replays_csv(
        self,
        webhook_id: str,
        *,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export the replays of a webhook as CSV.

        Needs the permission `webhooks:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/replays.csv",
            organization=organization,
            values={"webhookId": webhook_id},
        )

    def export_replays_ndjson(
        self,
        webhook_id: str,
        *,
        organization: str | None = None,
    ) -> AsyncExport[models.Replay]:
        """Export the replays of a webhook as NDJSON.

        Needs the permission `webhooks:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.Replay,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/replays.ndjson",
            organization=organization,
            values={"webhookId": webhook_id},
        )

    async def delete_replay(
        self,
        webhook_id: str,
        replay_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Cancel a replay.

        What it has queued stays queued; the replay stays readable. Needs the permission `webhooks:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        await self._nothing(
            "DELETE",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/replays/{replayId}",
            organization=organization,
            values={"webhookId": webhook_id, "replayId": replay_id},
            headers={"If-Match": if_match},
        )

    async def get_replay(
        self,
        webhook_id: str,
        replay_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Replay:
        """Read a replay.

        Needs the permission `webhooks:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Replay,
            "GET",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/replays/{replayId}",
            organization=organization,
            values={"webhookId": webhook_id, "replayId": replay_id},
            headers={"If-None-Match": if_none_match},
        )

    async def rotate_secret(
        self,
        webhook_id: str,
        *,
        grace_seconds: int | UnsetType = UNSET,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.WebhookWithSecret:
        """Rotate the secret of a webhook.

        The new secret is shown in this answer and never again. For `graceSeconds` deliveries are signed
        with the older ones, too; none of those signs for longer than that, and 0 ends all of them at once.
        Needs the permission `webhooks:write`.

        Args:
            grace_seconds: How long older secrets go on signing beside the new one.
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.WebhookWithSecret,
            "POST",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/rotate-secret",
            organization=organization,
            values={"webhookId": webhook_id},
            body={"graceSeconds": grace_seconds},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    async def test(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.SentTest:
        """Test a webhook.

        Sends one `webhook.test` event to this webhook alone, whatever its events and filter; its failures
        don't count towards disabling the webhook. `…/deliveries/{deliveryId}` tells how it went. Needs the
        permission `webhooks:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.SentTest,
            "POST",
            "/v2/organizations/{orgId}/webhooks/{webhookId}/test",
            organization=organization,
            values={"webhookId": webhook_id},
            headers={"Idempotency-Key": idempotency_key},
        )
