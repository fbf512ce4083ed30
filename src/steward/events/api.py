from typing import Any

import msgspec

from steward.events import actions, queries
from steward.events.feed.actions import MAX_WAITING_OF_CALLER, MAX_WAITING_OF_TENANT, FeedReader
from steward.events.feed.rules import check_parameters
from steward.events.model import (
    EventData,
    EventOrder,
    EventQuery,
    EventTypeDescription,
    OneEventQuery,
    StoredEvent,
)
from steward.events.rules import catalogue, visible_query, with_actor
from steward.kit.http.export import ExportFormat, export
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, StreamingResponse, one, page, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission

_NOT_WRITTEN = {
    409: "No events of the type `asset.telemetry.updated` are written; the message says how to get them."
}


async def read(call: Call[NoBody, OneEventQuery]) -> Response:
    event = await actions.read(call.context.on(call.params["eventId"]))
    body = with_actor(event.body.decode(), event.actor).encode() if call.query.include else event.body
    return one(msgspec.Raw(body), request_id=call.request_id)


async def list_types(call: Call[NoBody, NoQuery]) -> Response:
    return plain(catalogue(), request_id=call.request_id)


_EVENTS = Resource(
    noun="event",
    path="/v2/organizations/{orgId}/events",
    gives=StoredEvent,
    example=StoredEvent(
        id="evt_00064a1b2c3d4e5f60718293a4b5",
        type="asset.deleted",
        organization_id="org_00064a1b2c3d4e5f60718293a4b5",
        created=1767225600,
        data=EventData({"id": "ast_00064a1b2c3d4e5f60718293a4b5", "deleted": True}),
        livemode=True,
    ),
    listing=queries.LISTING,
    query=EventQuery,
    read_permission=Permission.EVENTS_READ,
    write_permission=Permission.EVENTS_READ,
)


async def export_events(form: ExportFormat, call: Call[NoBody, Any]) -> StreamingResponse:
    query = call.query
    call.query = visible_query(call.caller, query)
    listing = await actions.listing_for(call.db, call.caller.tenant, query.type, query.include)
    return await export(listing, form, call)


def routes(feed: FeedReader) -> tuple[Route, ...]:
    async def listed(call: Call[NoBody, EventQuery]) -> Response:
        check_parameters(call.query)
        if call.query.order is EventOrder.ASC:
            found = await feed.page(call.db, call.cursors, call.caller, call.query, call.readmit)
        else:
            found = await actions.list_newest(call.db, call.cursors, call.caller, call.query)
        return page(found, request_id=call.request_id)

    return (
        _EVENTS.list(
            handler=listed,
            refusals=_NOT_WRITTEN,
            description="The events that webhooks get, newest first: those of records that you may read. `*` and groups stand for "
            "the types that you may read, and naming another one is refused (403). With `order=asc` it is the change feed: ask with the "
            "`lastEvaluatedKey` of the last answer as `after`, again and again, and no event is missed or comes twice. The "
            "cursor is there on empty pages, too; `wait` lets an answer take until there is an event. A request that waits ends with 401 "
            "or 403 as soon as the key is revoked or has lost the permission. At most "
            f"{MAX_WAITING_OF_CALLER} requests of a key and {MAX_WAITING_OF_TENANT} of an organization wait in a process; more get 429.",
        ),
        *_EVENTS.exports(export_events, refusals=_NOT_WRITTEN),
        _EVENTS.read(handler=read, query=OneEventQuery),
        Route(
            method="GET",
            path="/v2/event-types",
            handler=list_types,
            tag="Events",
            summary="List event types",
            permission=None,
            gives=list[EventTypeDescription],
            shape="plain",
            example=[
                EventTypeDescription(
                    "asset.deleted", "Asset removed.", ["id", "deleted"], False, Permission.ASSETS_READ
                )
            ],
        ),
    )
