from steward.assets.commands import queries
from steward.assets.commands.model import Command, NewCommand
from steward.assets.commands.rules import new_command
from steward.assets.queries import ASSETS
from steward.kit.db.pool import Database
from steward.kit.records import records
from steward.kit.security.caller import Caller


async def send(db: Database, who: Caller, asset_id: str, new: NewCommand, *, now: int) -> Command:
    """Queued; a worker takes it from there."""
    async with db.transaction() as tx:
        target = await queries.target(tx, who.tenant, asset_id)
        if target is None:
            raise ASSETS.missing()
        command = new_command(new, asset_id, target, who.user, now)
        await records.create(tx, queries.COMMANDS, who.tenant, command, now=now)
        await queries.set_due(tx, who.tenant, command.id, now)
        return command
