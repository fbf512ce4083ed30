from steward.kit.http.parents import Parent
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.webhooks import queries as webhooks
from steward.webhooks.api import WEBHOOKS
from steward.webhooks.replays import actions, queries
from steward.webhooks.replays.model import EXAMPLE, NewReplay, Replay

_REPLAYS = Resource(
    tag=WEBHOOKS.tag,
    path=WEBHOOKS.path + "/{webhookId}/replays",
    id_name="replayId",
    gives=Replay,
    example=EXAMPLE,
    table=queries.REPLAYS,
    listing=queries.LISTING,
    parent=Parent("webhookId", webhooks.WEBHOOKS),
    read_permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
)

ROUTES: tuple[Route, ...] = (
    _REPLAYS.list("listReplaysOfWebhook", "List the replays of a webhook"),
    *_REPLAYS.exports("exportReplaysOfWebhook", "the replays of a webhook"),
    _REPLAYS.create(
        actions.create,
        "startReplay",
        "Start a replay",
        description="Queues deliveries of a span of time again, also of events from before the webhook subscribed to them. "
        "Runs in the background, waits while the webhook isn't active, and can be watched and cancelled.",
        body=NewReplay,
        body_example={"since": 1767139200, "until": 1767225600, "only": "skipped"},
        refusals={409: "The webhook is not active, or has ten replays running."},
    ),
    _REPLAYS.read("readReplay", "Read a replay"),
    _REPLAYS.delete(
        actions.cancel,
        "cancelReplay",
        "Cancel a replay",
        description="What it has queued stays queued; the replay stays readable.",
        refusals={409: "It is completed."},
    ),
)
