from steward.assets import queries as assets
from steward.assets.commands import actions, queries
from steward.assets.commands.model import EXAMPLE, Command, CommandQuery, NewCommand
from steward.kit.http.parents import Parent
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission

_COMMANDS = Resource(
    tag="Commands",
    path="/organizations/{orgId}/assets/{assetId}/commands",
    id_name="commandId",
    gives=Command,
    example=EXAMPLE,
    table=queries.COMMANDS,
    listing=queries.LISTING,
    parent=Parent("assetId", assets.ASSETS),
    read_permission=Permission.IOT_READ,
    write_permission=Permission.IOT_WRITE,
)

ROUTES: tuple[Route, ...] = (
    _COMMANDS.list("listCommandsToAsset", "List the commands to an asset", query=CommandQuery),
    *_COMMANDS.exports("exportCommandsToAsset", "the commands to an asset", query=CommandQuery),
    _COMMANDS.create(
        actions.send,
        "sendCommandToAsset",
        "Send a command to an asset",
        description="Queued, and sent over MQTT or through ChirpStack as soon as a worker gets to it; again until that has "
        "worked or `expiresAt` has come. A device may get a command more than once, with the same `id`.",
        body=NewCommand,
        body_example={"name": "setTarget", "payload": {"Temperature": 21.5}},
        refusals={409: "Too many commands wait for this asset."},
    ),
    _COMMANDS.read("readCommandToAsset", "Read a command to an asset"),
)
