from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.roles import queries, rules
from steward.roles.events import CREATED, DELETED, UPDATED
from steward.roles.model import NewRole, Role, RoleChanges


async def create(db: Database, who: Caller, new: NewRole, *, now: int) -> Role:
    role = rules.new_role(new, who.permissions, now)
    return await records.create(db, queries.ROLES, who.tenant, role, events=[CREATED], now=now)


async def change(
    bus: Invalidator,
    db: Database,
    who: Caller,
    role_id: str,
    changes: RoleChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Role:
    async with db.transaction() as tx:
        role = await records.change(
            tx,
            queries.ROLES,
            who.tenant,
            role_id,
            to=lambda old: rules.changed_role(old, changes, who.permissions),
            precondition=precondition,
            events=records.always(UPDATED),
            now=now,
        )
        await bus.invalidate(tx, who.tenant)
        return role


async def delete(db: Database, who: Caller, role_id: str, *, precondition: Precondition, now: int) -> None:
    async with db.transaction() as tx:
        holders = await queries.count_holders(tx, who.tenant, role_id)
        await records.delete(
            tx,
            queries.ROLES,
            who.tenant,
            role_id,
            check_deletable=lambda role: rules.check_deletable(role, who.permissions, holders=holders),
            precondition=precondition,
            event=DELETED,
            now=now,
        )
