"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Any

from ... import models
from ..exports import AsyncExport
from ..feed import AsyncFollowing
from ..pages import AsyncPages


class AsyncEvents(AsyncFollowing):
    def list_types(
        self,
    ) -> AsyncPages[models.EventTypeDescription]:
        """List event types."""
        return self._pages(models.EventTypeDescription, "GET", "/v2/event-types")

    def list(
        self,
        *,
        type: str | Sequence[str] | None = None,
        created_after: int | None = None,
        order: models.EventOrderLike | None = None,
        after: str | None = None,
        wait: int | None = None,
        include: models.EventPartLike | Sequence[models.EventPartLike] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Event]:
        """List events.

        The events that webhooks get, newest first: those of records that you may read. `*` and groups
        stand for the types that you may read, and naming another one is refused (403). With `order=asc` it
        is the change feed: ask with the `lastEvaluatedKey` of the last answer as `after`, again and again,
        and no event is missed or comes twice. The cursor is there on empty pages, too; `wait` lets an
        answer take until there is an event. A request that waits ends with 401 or 403 as soon as the key
        is revoked or has lost the permission. At most 50 requests of a key and 200 of an organization wait
        in a process; more get 429. Needs the permission `events:read`.

        Args:
            type: Event types, or groups such as `workorder.*`; several are separated by commas. A group
                stands for those of its types that you may read.
            created_after: Only events of this second and later. To miss no event, follow the feed.
            order: `asc` is the change feed: oldest first, in an order that nothing gets in front of.
            after: In the feed: the `lastEvaluatedKey` of the page before; `now` begins with what comes
                next, and without it the feed begins with the oldest event that is kept.
            wait: In the feed: how many seconds the answer may wait for an event where there is none yet.
            include: `actor` adds who caused each event.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Event,
            "GET",
            "/v2/organizations/{orgId}/events",
            organization=organization,
            query={
                "type": type,
                "createdAfter": created_after,
                "order": order,
                "after": after,
                "wait": wait,
                "include": include,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
            },
        )

    def export_csv(
        self,
        *,
        type: str | Sequence[str] | None = None,
        created_after: int | None = None,
        include: models.EventPartLike | Sequence[models.EventPartLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export events as CSV.

        Needs the permission `events:read`.

        Args:
            type: Event types, or groups such as `workorder.*`; several are separated by commas. A group
                stands for those of its types that you may read.
            created_after: Only events of this second and later. To miss no event, follow the feed.
            include: `actor` adds who caused each event.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/v2/organizations/{orgId}/events.csv",
            organization=organization,
            query={"type": type, "createdAfter": created_after, "include": include},
        )

    def export_ndjson(
        self,
        *,
        type: str | Sequence[str] | None = None,
        created_after: int | None = None,
        include: models.EventPartLike | Sequence[models.EventPartLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Event]:
        """Export events as NDJSON.

        Needs the permission `events:read`.

        Args:
            type: Event types, or groups such as `workorder.*`; several are separated by commas. A group
                stands for those of its types that you may read.
            created_after: Only events of this second and later. To miss no event, follow the feed.
            include: `actor` adds who caused each event.
            organization: Another one than the client's.
        """
        return self._export(
            models.Event,
            "GET",
            "/v2/organizations/{orgId}/events.ndjson",
            organization=organization,
            query={"type": type, "createdAfter": created_after, "include": include},
        )

    async def get(
        self,
        event_id: str,
        *,
        include: models.EventPartLike | Sequence[models.EventPartLike] | None = None,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Event:
        """Read an event.

        Needs the permission `events:read`.

        Args:
            include: `actor` adds who caused each event.
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Event,
            "GET",
            "/v2/organizations/{orgId}/events/{eventId}",
            organization=organization,
            values={"eventId": event_id},
            query={"include": include},
            headers={"If-None-Match": if_none_match},
        )
