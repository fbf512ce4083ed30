from steward.assets.commands import queries
from steward.assets.commands.model import Command, NewCommand
from steward.assets.commands.rules import new_command
from steward.assets.queries import ASSETS
from steward.kit.records import records
from steward.kit.records.context import Context


async def send(ctx: Context, new: NewCommand) -> Command:
    """Queues it; a worker sends it."""
    async with ctx.transaction() as ctx:
        target = await queries.target(ctx.tx, ctx.tenant, ctx.parent)
        if target is None:
            raise ASSETS.missing()
        command = new_command(new, ctx.parent, target, ctx.who.user, ctx.now)
        await records.create(ctx, queries.COMMANDS, command)
        await queries.set_due(ctx.tx, ctx.tenant, command.id, ctx.now)
        return command
