"""Commands on the page of a device: the latest with their results, and a form for the next one."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.assets import pages as assets
from steward.assets.commands import actions, queries
from steward.assets.commands.model import MAX_PAYLOAD_BYTES, CommandName, NewCommand
from steward.kit.domain.fields import Body
from steward.kit.domain.problems import Invalid
from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Panel, Redirect, View, WebPage
from steward.kit.web.submit import submit

_SHOWN = 8
_FORM = "command"


class CommandForm(Body, frozen=True):
    """The payload is JSON, as the device reads it."""

    name: CommandName
    payload: Annotated[str, Meta(max_length=MAX_PAYLOAD_BYTES)] | None = None
    confirmed: bool = True

    def command(self) -> NewCommand:
        return NewCommand(name=self.name, payload=_payload(self.payload), confirmed=self.confirmed)


def _payload(text: str | None) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        raise Invalid("payload", 'write a JSON object, such as {"Temperature": 21.5}') from None


async def show_of_asset(request: PageRequest[Any, Any], asset_id: str) -> View | None:
    """Empty if the asset is no device and never had a command."""
    db, tenant = request.db, request.caller.tenant
    found = await queries.newest(db, tenant, asset_id, _SHOWN)
    if not found and not await queries.is_device(db, tenant, asset_id):
        return None
    values = {
        "commands": found,
        "payload_text": lambda payload: msgspec.json.encode(payload).decode() if payload else "",
        "sent": request.form.named(_FORM),
        "may_send": request.may(Permission.IOT_WRITE),
        "commands_path": f"{assets.PATH}/{asset_id}/commands",
    }
    return View("assets/commands.html", values)


async def send(request: PageRequest[CommandForm, Any]) -> Outcome:
    asset_id = request.params["assetId"]

    async def act(form: CommandForm) -> None:
        await actions.send(request.context.inside(asset_id), form.command())

    async def again(status: int) -> View:
        # People who may send commands need not be able to see them.
        if not request.may(Permission.ASSETS_READ):
            raise request.form.refusal()
        return await assets.show_one(request, status)

    to = f"{assets.PATH}/{asset_id}#commands" if request.may(Permission.ASSETS_READ) else "/app"
    return await submit(request, act, to=lambda _: Redirect(to), again=again, name=_FORM)


PAGES: tuple[WebPage, ...] = (
    WebPage("POST", f"{assets.PATH}/{{assetId}}/commands", send, Permission.IOT_WRITE, form=CommandForm),
)
PANELS = (Panel("asset", "commands", "Commands", show_of_asset, Permission.IOT_READ),)
