from msgspec.structs import replace

from steward.kit import clock
from steward.kit.bus import Announcer
from steward.kit.caller import Caller, TenantId
from steward.kit.db import Database
from steward.kit.patch import apply
from steward.kit.problems import NotFound
from steward.kit.records import require_match
from steward.organizations import queries
from steward.organizations.model import Organization, OrganizationChanges, Plan


async def change(
    db: Database, who: Caller, changes: OrganizationChanges, if_match: str | None
) -> Organization:
    async with db.transaction() as tx:
        old = await queries.lock(tx, who.tenant)
        if old is None:
            raise NotFound("There is no such organization.")
        require_match(old, if_match)
        new = apply(old, changes)
        if new == old:
            return old
        new = replace(new, updated=clock.now())
        await queries.update(tx, new)
        return new


async def set_plan(db: Database, bus: Announcer, tenant: TenantId, plan: Plan) -> Organization:
    """Acts at once on every process: the announcement is heard before this returns."""
    async with db.transaction() as tx:
        old = await queries.lock(tx, tenant)
        if old is None:
            raise NotFound(f"There is no organization {tenant}.")
        new = replace(old, plan=plan, updated=clock.now())
        await queries.update(tx, new)
        await bus.announce(tx, tenant)
        return new
