from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission
from steward.webhooks.api import WEBHOOKS
from steward.webhooks.replays import actions, queries
from steward.webhooks.replays.model import EXAMPLE, NewReplay

_REPLAYS = Resource(
    plural="the replays of a webhook",
    path=f"{WEBHOOKS.path}{WEBHOOKS.item}/replays",
    example=EXAMPLE,
    table=queries.REPLAYS,
    listing=queries.LISTING,
    parent=WEBHOOKS,
    read_permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
)

ROUTES = (
    *_REPLAYS.reads(),
    _REPLAYS.create(
        actions.create,
        NewReplay,
        summary="Start a replay",
        description="Queues deliveries of a span of time again, also of events from before the webhook subscribed to them. "
        "Runs in the background, waits while the webhook isn't active, and can be watched and cancelled.",
        body_example={"since": 1767139200, "until": 1767225600, "only": "skipped"},
        refusals={409: "The webhook is not active, or has ten replays running."},
    ),
    _REPLAYS.delete(
        actions.cancel,
        summary="Cancel a replay",
        description="What it has queued stays queued; the replay stays readable.",
        refusals={409: "It is completed."},
    ),
)
