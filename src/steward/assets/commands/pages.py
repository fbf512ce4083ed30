"""Commands on the page of a device: the latest with their results, and a form for the next one."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.assets.commands import actions, queries
from steward.assets.commands.model import MAX_PAYLOAD_BYTES, Command, CommandName, NewCommand
from steward.assets.pages import PATH, RECORD
from steward.kit.domain.fields import Body
from steward.kit.domain.problems import Invalid
from steward.kit.records.context import Target
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Panel, View

_SHOWN = 8


class CommandForm(Body, frozen=True):
    """The payload is JSON, as the device reads it."""

    name: CommandName
    payload: Annotated[str, Meta(max_length=MAX_PAYLOAD_BYTES)] | None = None
    confirmed: bool = True

    def command(self) -> NewCommand:
        try:
            payload = msgspec.json.decode(self.payload or "{}", type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            raise Invalid("payload", 'write a JSON object, such as {"Temperature": 21.5}') from None
        return NewCommand(name=self.name, payload=payload, confirmed=self.confirmed)


class CommandsPanel(msgspec.Struct, frozen=True):
    # With their payloads as JSON.
    commands: list[tuple[Command, str]]
    commands_path: str


async def show_of_asset(request: PageRequest[Any, Any], asset_id: str) -> View | None:
    """Empty if the asset is no device and never had a command."""
    db, tenant = request.db, request.tenant
    found = await queries.newest(db, tenant, asset_id, _SHOWN)
    if not found and not await queries.is_device(db, tenant, asset_id):
        return None
    shown = [(one, msgspec.json.encode(one.payload).decode() if one.payload else "") for one in found]
    panel = CommandsPanel(shown, f"{PATH}/{asset_id}/commands")
    return View("assets/commands.html", panel)


async def _send(ctx: Target, form: CommandForm) -> None:
    await actions.send(ctx.inside(ctx.id), form.command())


PAGES = (
    RECORD.move_with(
        "commands", _send, form=CommandForm, permission=Permission.IOT_WRITE, to=f"{RECORD.one}#commands"
    ),
)
PANELS = (Panel("asset", "commands", "Commands", show_of_asset, Permission.IOT_READ),)
