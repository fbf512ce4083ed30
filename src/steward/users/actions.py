from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import require_held
from steward.users import queries, rules
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.accounts import rules as account_rules
from steward.users.events import CREATED, REMOVED, UPDATED
from steward.users.model import NewUser, ReplacedUser, User, UserChanges

_ASSIGN = "assign roles with"


async def create(bus: Invalidator, ctx: Context, new: NewUser) -> User:
    """With a new account, even if other accounts have the same e-mail address."""
    password_hash = await accounts.hash_password_for(ctx.db, new.email, new.password)
    user = rules.new_user(
        email=new.email,
        name=new.name,
        role_ids=new.role_ids,
        external_id=new.external_id,
        metadata=new.metadata,
        now=ctx.now,
    )
    account = account_rules.new_account(new.email, password_hash, own_password=False)
    async with ctx.transaction() as ctx:
        granted = await queries.permissions_of_roles(ctx.tx, ctx.tenant, user.role_ids)
        require_held(ctx.who.permissions, granted, _ASSIGN)
        await account_queries.insert(ctx.tx, account, ctx.now)
        await queries.insert(ctx.tx, ctx.tenant, user, account.id, made_account=True)
        await records.publish(ctx, CREATED, user)
        await bus.invalidate(ctx.tx, ctx.tenant)
    return user


async def change(bus: Invalidator, ctx: Target, changes: UserChanges) -> User:
    password_hash = await _hash_new_password(ctx.db, ctx.tenant, ctx.id, changes)
    async with ctx.transaction() as ctx:
        old = await _lock_changeable(ctx)
        account_id = await _lock_account(ctx, changes)
        new = rules.changed_user(old, changes)
        added = rules.distinct(set(new.role_ids) - set(old.role_ids))
        granted = await queries.permissions_of_roles(ctx.tx, ctx.tenant, added)
        require_held(ctx.who.permissions, granted, _ASSIGN)
        if new == old and password_hash is None:
            return old
        new = await _write(ctx, old, new)
        if new.email != old.email:
            await account_queries.set_email(ctx.tx, account_id, new.email, ctx.now)
        if password_hash is not None:
            await accounts.set_password(ctx.tx, bus, account_id, password_hash, ctx.now, own=False)
        rules.require_an_administrator(await queries.administrators(ctx.tx, ctx.tenant))
        await bus.invalidate(ctx.tx, ctx.tenant)
        return new


async def replacement(ctx: Context, old: User, new: ReplacedUser) -> UserChanges:
    return rules.replacement(old, new)


async def remove(bus: Invalidator, ctx: Target) -> None:
    """Removes the person from this organization; the account is deleted with its last membership."""
    async with ctx.transaction() as ctx:
        user = await _lock_changeable(ctx)
        # Locked, so that the account can't join another organization while it is removed.
        await account_queries.lock(ctx.tx, ctx.tenant, ctx.id)
        account_id = await queries.delete(ctx.tx, ctx.tenant, ctx.id)
        await account_queries.delete_unused(ctx.tx, account_id)
        await records.publish_deletion(ctx, REMOVED, user)
        rules.require_an_administrator(await queries.administrators(ctx.tx, ctx.tenant))
        await bus.invalidate(ctx.tx, ctx.tenant)


async def archive(bus: Invalidator, ctx: Target) -> User:
    """Suspends the person, too."""
    return await _move(bus, ctx, lambda user: rules.archived_user(user, ctx.now))


async def restore(bus: Invalidator, ctx: Target) -> User:
    return await _move(bus, ctx, rules.restored_user)


async def _move(bus: Invalidator, ctx: Target, to: Callable[[User], User]) -> User:
    async with ctx.transaction() as ctx:
        old = await _lock_changeable(ctx)
        if (new := to(old)) == old:
            return old
        new = await _write(ctx, old, new)
        rules.require_an_administrator(await queries.administrators(ctx.tx, ctx.tenant))
        await bus.invalidate(ctx.tx, ctx.tenant)
        return new


async def _write(ctx: Context, old: User, new: User) -> User:
    new = replace(new, updated=ctx.now)
    await queries.update(ctx.tx, ctx.tenant, new)
    await records.publish(ctx, UPDATED, new, old=old)
    return new


async def _lock_changeable(ctx: Target) -> User:
    """The locked user, if the caller has all of this person's permissions."""
    user = await queries.lock(ctx.tx, ctx.tenant, ctx.id)
    if user is None:
        raise rules.no_such_user()
    ctx.precondition.require(user)
    held = await queries.permissions_of_roles(ctx.tx, ctx.tenant, user.role_ids)
    require_held(ctx.who.permissions, held, "change or remove a user with")
    return user


async def _lock_account(ctx: Target, changes: UserChanges) -> str:
    """The user's account, if this organization may make these changes to it."""
    found = await account_queries.lock(ctx.tx, ctx.tenant, ctx.id)
    assert found is not None  # noqa: S101 (the user is locked, and none is without an account)
    organizations = await account_queries.organizations(ctx.tx, found.account.id)
    managed = account_rules.managed_by_organization(found, len(organizations))
    rules.require_managed_account(changes, managed=managed)
    return found.account.id


async def _hash_new_password(
    db: Database, tenant: TenantId, user_id: str, changes: UserChanges
) -> str | None:
    if changes.password is UNSET:
        return None
    if changes.email is UNSET:
        found = await account_queries.get(db, tenant, user_id)
        email = found.account.email if found else ""
    else:
        email = changes.email
    return await accounts.hash_password_for(db, email, changes.password)
