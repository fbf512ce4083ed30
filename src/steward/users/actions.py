from collections.abc import Callable
from functools import partial

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import build_event, deletion
from steward.kit.events.publish import publish
from steward.kit.security.caller import Caller, TenantId
from steward.users import queries, rules
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.accounts import rules as account_rules
from steward.users.events import CREATED, REMOVED, UPDATED
from steward.users.model import NewUser, ReplacedUser, User, UserChanges

_ASSIGN = "assign roles"


async def create(bus: Invalidator, db: Database, who: Caller, new: NewUser, *, now: int) -> User:
    """With an account of its own, whatever other accounts bear the same e-mail address."""
    password_hash = await accounts.hash_password_for(db, new.email, new.password)
    user = rules.new_user(
        email=new.email,
        name=new.name,
        role_ids=new.role_ids,
        external_id=new.external_id,
        metadata=new.metadata,
        now=now,
    )
    account = account_rules.new_account(new.email, password_hash, own_password=False)
    async with db.transaction() as tx:
        granted = await queries.permissions_of_roles(tx, who.tenant, user.role_ids)
        rules.require_held(who.permissions, granted, _ASSIGN)
        await account_queries.insert(tx, account, now)
        await queries.insert(tx, who.tenant, user, account.id, made_account=True)
        await publish(tx, who.tenant, [build_event(CREATED, user, tenant=who.tenant, now=now)], now)
        await bus.invalidate(tx, who.tenant)
    return user


async def change(
    bus: Invalidator,
    db: Database,
    who: Caller,
    user_id: str,
    changes: UserChanges,
    *,
    precondition: Precondition,
    now: int,
) -> User:
    password_hash = await _hash_new_password(db, who.tenant, user_id, changes)
    async with db.transaction() as tx:
        old = await _lock_changeable(tx, who, user_id, precondition)
        account_id = await _lock_account(tx, who, user_id, changes)
        new = rules.changed_user(old, changes)
        added = rules.distinct(set(new.role_ids) - set(old.role_ids))
        granted = await queries.permissions_of_roles(tx, who.tenant, added)
        rules.require_held(who.permissions, granted, _ASSIGN)
        if new == old and password_hash is None:
            return old
        new = await _write(tx, who, old, new, now)
        if new.email != old.email:
            await account_queries.set_email(tx, account_id, new.email, now)
        if password_hash is not None:
            await accounts.set_password(tx, bus, account_id, password_hash, now, own=False)
        rules.require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.invalidate(tx, who.tenant)
        return new


async def replacement(_db: Database, _who: Caller, old: User, new: ReplacedUser) -> UserChanges:
    return rules.replacement(old, new)


async def remove(
    bus: Invalidator, db: Database, who: Caller, user_id: str, *, precondition: Precondition, now: int
) -> None:
    """Takes the person out of this organization; the account goes with its last membership."""
    async with db.transaction() as tx:
        user = await _lock_changeable(tx, who, user_id, precondition)
        # Nobody takes the account into another organization while it goes.
        await account_queries.lock(tx, who.tenant, user_id)
        account_id = await queries.delete(tx, who.tenant, user_id)
        await account_queries.delete_unused(tx, account_id)
        await publish(tx, who.tenant, [deletion(REMOVED, user, tenant=who.tenant, now=now)], now)
        rules.require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.invalidate(tx, who.tenant)


async def archive(
    bus: Invalidator, db: Database, who: Caller, user_id: str, *, precondition: Precondition, now: int
) -> User:
    """Suspends the person, too."""
    to = partial(rules.archived_user, now=now)
    return await _move(bus, db, who, user_id, to=to, precondition=precondition, now=now)


async def restore(
    bus: Invalidator, db: Database, who: Caller, user_id: str, *, precondition: Precondition, now: int
) -> User:
    return await _move(bus, db, who, user_id, to=rules.restored_user, precondition=precondition, now=now)


async def _move(
    bus: Invalidator,
    db: Database,
    who: Caller,
    user_id: str,
    *,
    to: Callable[[User], User],
    precondition: Precondition,
    now: int,
) -> User:
    async with db.transaction() as tx:
        old = await _lock_changeable(tx, who, user_id, precondition)
        if (new := to(old)) == old:
            return old
        new = await _write(tx, who, old, new, now)
        rules.require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.invalidate(tx, who.tenant)
        return new


async def _write(tx: Transaction, who: Caller, old: User, new: User, now: int) -> User:
    new = replace(new, updated=now)
    await queries.update(tx, who.tenant, new)
    await publish(tx, who.tenant, [build_event(UPDATED, new, tenant=who.tenant, now=now, old=old)], now)
    return new


async def _lock_changeable(tx: Transaction, who: Caller, user_id: str, precondition: Precondition) -> User:
    """The user under lock, if the caller may do everything that this person may."""
    user = await queries.lock(tx, who.tenant, user_id)
    if user is None:
        raise rules.no_such_user()
    precondition.require(user)
    held = await queries.permissions_of_roles(tx, who.tenant, user.role_ids)
    rules.require_held(who.permissions, held, "change or remove a user")
    return user


async def _lock_account(tx: Transaction, who: Caller, user_id: str, changes: UserChanges) -> str:
    """The user's account, if this organization may make these changes to it."""
    found = await account_queries.lock(tx, who.tenant, user_id)
    assert found is not None  # noqa: S101 (the user is locked, and none is without an account)
    organizations = await account_queries.organizations(tx, found.account.id)
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
