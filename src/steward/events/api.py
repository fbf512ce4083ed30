import msgspec

from steward.events import queries
from steward.events.model import EventData, EventQuery, EventTypeDescription, StoredEvent
from steward.events.rules import catalogue
from steward.kit.domain.problems import NotFound
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission


async def read(call: Call[NoBody, NoQuery]) -> Response:
    body = await queries.body(call.db, call.caller.tenant, call.params["eventId"])
    if body is None:
        raise NotFound("There is no such event; events are kept for 30 days.")
    return one(msgspec.Raw(body), request_id=call.request_id)


async def list_types(call: Call[NoBody, NoQuery]) -> Response:
    return plain(catalogue(), request_id=call.request_id)


_EVENTS = Resource(
    tag="Events",
    path="/v2/organizations/{orgId}/events",
    id_name="eventId",
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
    read_permission=Permission.EVENTS_READ,
    write_permission=Permission.EVENTS_READ,
)

ROUTES: tuple[Route, ...] = (
    _EVENTS.list(
        "listEvents",
        "List events",
        query=EventQuery,
        description="Everything that webhooks are told, newest first: asking now and again is a full substitute.",
    ),
    _EVENTS.read("readEvent", "Read an event", handler=read),
    Route(
        method="GET",
        path="/v2/event-types",
        handler=list_types,
        tag="Events",
        summary="List event types",
        operation_id="listEventTypes",
        permission=None,
        gives=list[EventTypeDescription],
        shape="plain",
        example=[EventTypeDescription("asset.deleted", "Asset removed.", ["id", "deleted"], False)],
    ),
)
