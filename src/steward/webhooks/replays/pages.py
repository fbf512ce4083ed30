"""Replays on the page of their webhook: started and cancelled there."""

from steward.kit.records.context import Target
from steward.webhooks import rules
from steward.webhooks.pages import RECORD, show_one
from steward.webhooks.replays import actions
from steward.webhooks.replays.model import NewReplay, Replay


async def _create(ctx: Target, new: NewReplay) -> Replay:
    rules.require_plan(ctx.who.plan)
    return await actions.create(ctx.inside(ctx.id), new)


_LIST = f"{RECORD.one}#replays"
PAGES = (
    RECORD.change(_create, form=NewReplay, name="replay", path="/replays", to=_LIST),
    # Also without an API: it stops something.
    RECORD.below("replays", "replayId", show_one, leads_to=_LIST).move("cancel", actions.cancel),
)
