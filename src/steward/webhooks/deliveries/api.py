from steward.events.rules import visible_query
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery
from steward.kit.security.permissions import Permission
from steward.webhooks.api import WEBHOOKS
from steward.webhooks.deliveries import actions, queries
from steward.webhooks.deliveries.model import EXAMPLE, EXAMPLE_DETAILS, DeliveryDetails, DeliveryQuery

_DELIVERIES = Resource(
    plural="the deliveries of a webhook",
    path=f"{WEBHOOKS.path}{WEBHOOKS.item}/deliveries",
    example=EXAMPLE,
    table=queries.DELIVERIES,
    listing=queries.LISTING,
    query=DeliveryQuery,
    narrowed=visible_query,
    parent=WEBHOOKS,
    read_permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
)


async def read(call: Call[NoBody, NoQuery]) -> Response:
    id, within = call.params["deliveryId"], call.params["webhookId"]
    return one(await queries.read(call.db, call.caller, id, within=within), request_id=call.request_id)


ROUTES = (
    _DELIVERIES.list(
        description="By the time of their events, newest first, for 30 days; those of a deleted webhook, too. Events that "
        "you may not read are left out.",
    ),
    *_DELIVERIES.exports(),
    _DELIVERIES.read(
        summary="Read a delivery with its attempts",
        handler=read,
        gives=DeliveryDetails,
        example=EXAMPLE_DETAILS,
    ),
    _DELIVERIES.move(
        "retry",
        actions.retry,
        description="Sends it as soon as possible, whatever its state. A success ends the delivery; after a failure it goes on "
        "with what its retry schedule has left, so that one which had failed for good gets one more attempt.",
        gives=DeliveryDetails,
        example=EXAMPLE_DETAILS,
        refusals={409: "The webhook is not active, or the delivery is being sent at this moment."},
    ),
)
