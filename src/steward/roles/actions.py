from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.roles import queries, rules
from steward.roles.events import CREATED, DELETED, UPDATED
from steward.roles.model import NewRole, Role, RoleChanges


async def create(ctx: Context, new: NewRole) -> Role:
    role = rules.new_role(new, ctx.who.permissions, ctx.now)
    return await records.create(ctx, queries.ROLES, role, CREATED)


async def change(bus: Invalidator, ctx: Target, changes: RoleChanges) -> Role:
    async with ctx.transaction() as ctx:
        role = await records.change(
            ctx,
            queries.ROLES,
            lambda old: rules.changed_role(old, changes, ctx.who.permissions),
            UPDATED,
        )
        await bus.invalidate(ctx.tx, ctx.tenant)
        return role


async def delete(ctx: Target) -> None:
    async with ctx.transaction() as ctx:
        holders = await queries.count_holders(ctx.tx, ctx.tenant, ctx.id)
        await records.delete(
            ctx,
            queries.ROLES,
            DELETED,
            check_deletable=lambda role: rules.check_deletable(role, ctx.who.permissions, holders=holders),
        )
