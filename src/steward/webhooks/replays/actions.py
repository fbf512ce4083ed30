from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.webhooks import queries as webhooks
from steward.webhooks.replays import queries
from steward.webhooks.replays.model import NewReplay, Replay
from steward.webhooks.replays.rules import cancelled, new_replay, require_room
from steward.webhooks.rules import require_active
from steward.webhooks.subscription import require_types, subscribed_types


async def create(db: Database, who: Caller, webhook_id: str, new: NewReplay, *, now: int) -> Replay:
    require_types("types", new.types or ())
    types = None if new.types is None else subscribed_types(new.types, who.permissions)
    async with db.transaction() as tx:
        # Locked, so that two at once can't both see the last free place.
        webhook = await records.lock(tx, webhooks.WEBHOOKS, who.tenant, webhook_id)
        require_active(webhook.status)
        replay = new_replay(webhook, new, types, now)
        require_room(await queries.count_running(tx, who.tenant, webhook_id))
        return await records.create(tx, queries.REPLAYS, who.tenant, replay, now=now)


async def cancel(
    db: Database, who: Caller, webhook_id: str, id: str, *, precondition: Precondition, now: int
) -> Replay:
    return await records.change(
        db,
        queries.REPLAYS,
        who.tenant,
        id,
        to=cancelled,
        precondition=precondition,
        within=webhook_id,
        now=now,
    )
