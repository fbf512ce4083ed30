from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.webhooks import queries as webhooks
from steward.webhooks.replays import queries
from steward.webhooks.replays.model import NewReplay, Replay
from steward.webhooks.replays.rules import cancelled, new_replay, require_room
from steward.webhooks.rules import require_active
from steward.webhooks.subscription import require_types, subscribed_types


async def create(ctx: Context, new: NewReplay) -> Replay:
    require_types("types", new.types or ())
    types = None if new.types is None else subscribed_types(new.types, ctx.who.permissions)
    async with ctx.transaction() as ctx:
        # Locked, so that two concurrent ones can't both take the last free place.
        webhook = await records.lock(ctx.on(ctx.parent), webhooks.WEBHOOKS)
        require_active(webhook.status)
        replay = new_replay(webhook, new, types, ctx.now)
        require_room(await queries.count_running(ctx.tx, ctx.tenant, ctx.parent))
        return await records.create(ctx, queries.REPLAYS, replay)


async def cancel(ctx: Target) -> Replay:
    return await records.change(ctx, queries.REPLAYS, cancelled)
