"""Replays on the page of their webhook: started and cancelled there."""

from functools import partial
from typing import Any

from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Redirect, WebPage
from steward.kit.web.submit import submit
from steward.webhooks import rules
from steward.webhooks.pages import PATH, show_one
from steward.webhooks.replays import actions
from steward.webhooks.replays.model import NewReplay, Replay

_ALL = f"{PATH}/{{webhookId}}/replays"


async def create(request: PageRequest[NewReplay, Any]) -> Outcome:
    async def act(new: NewReplay) -> Replay:
        rules.require_plan(request.caller.plan)
        return await actions.create(request.context.inside(request.params["webhookId"]), new)

    return await submit(
        request, act, to=lambda _: _back(request), again=partial(show_one, request), name="replay"
    )


async def cancel(request: PageRequest[Any, Any]) -> Outcome:
    """Also without an API: it stops something."""
    id, webhook_id = request.params["replayId"], request.params["webhookId"]
    return await submit(
        request,
        lambda _: actions.cancel(request.context.on(id, within=webhook_id)),
        to=lambda _: _back(request),
        again=partial(show_one, request),
        name="cancel-replay",
    )


def _back(request: PageRequest[Any, Any]) -> Redirect:
    return Redirect(f"{PATH}/{request.params['webhookId']}#replays")


PAGES = (
    WebPage("POST", _ALL, create, Permission.WEBHOOKS_WRITE, form=NewReplay),
    WebPage("POST", f"{_ALL}/{{replayId}}/cancel", cancel, Permission.WEBHOOKS_WRITE),
)
