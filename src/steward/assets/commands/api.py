from steward.assets.api import ASSETS
from steward.assets.commands import actions, queries
from steward.assets.commands.model import EXAMPLE, CommandQuery, NewCommand
from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission

_COMMANDS = Resource(
    tag="Commands",
    noun="command to an asset",
    plural="the commands to an asset",
    path=f"{ASSETS.path}{ASSETS.item}/commands",
    example=EXAMPLE,
    table=queries.COMMANDS,
    listing=queries.LISTING,
    query=CommandQuery,
    parent=ASSETS,
    read_permission=Permission.IOT_READ,
    write_permission=Permission.IOT_WRITE,
)

ROUTES = (
    *_COMMANDS.reads(),
    _COMMANDS.create(
        actions.send,
        NewCommand,
        summary="Send a command to an asset",
        description="Queued, and sent over MQTT or through ChirpStack as soon as a worker gets to it; again until that has "
        "worked or `expiresAt` has come. A device may get a command more than once, with the same `id`.",
        body_example={"name": "setTarget", "payload": {"Temperature": 21.5}},
        refusals={409: "Too many commands wait for this asset."},
    ),
)
