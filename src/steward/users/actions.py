from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import NotFound
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.passwords import hash_password
from steward.users import queries
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.model import (
    NewUser,
    User,
    UserChanges,
    UserStatus,
    require_an_administrator,
    require_held,
    require_own_account,
)

_ASSIGN = "assign roles"


def no_such_user() -> NotFound:
    return NotFound("There is no such user.")


async def create(bus: Invalidator, db: Database, who: Caller, new: NewUser, *, now: int) -> User:
    """With an account of its own, whatever other accounts bear the same e-mail address."""
    role_ids = sorted(set(new.role_ids))
    password_hash = await hash_password(new.password, await account_queries.salt_of(db, new.email))
    user = User(new_id("usr"), new.email, new.name, UserStatus.ACTIVE, role_ids, now, now)
    async with db.transaction() as tx:
        require_held(who.permissions, await queries.permissions_of(tx, who.tenant, role_ids), _ASSIGN)
        account_id = await account_queries.insert(tx, new.email, password_hash, now, own_password=False)
        await queries.insert_member(tx, who.tenant, user, account_id, made_account=True)
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
    password_hash = await _new_hash(db, who.tenant, user_id, changes)
    async with db.transaction() as tx:
        old = await _touchable(tx, who, user_id, precondition)
        account_id = await _governed(tx, who, user_id, changes)
        new = _changed(old, changes)
        added = sorted(set(new.role_ids) - set(old.role_ids))
        require_held(who.permissions, await queries.permissions_of(tx, who.tenant, added), _ASSIGN)
        if new == old and password_hash is None:
            return old
        new = replace(new, updated=now)
        await queries.update_member(tx, who.tenant, new)
        if new.email != old.email:
            await account_queries.set_email(tx, account_id, new.email, new.updated)
        if password_hash is not None:
            await accounts.set_password(tx, bus, account_id, password_hash, new.updated, own=False)
        require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.invalidate(tx, who.tenant)
        return new


async def remove(
    bus: Invalidator, db: Database, who: Caller, user_id: str, *, precondition: Precondition, now: int
) -> None:
    """Takes the person out of this organization; the account goes with its last membership."""
    async with db.transaction() as tx:
        await _touchable(tx, who, user_id, precondition)
        # Nobody takes the account into another organization while it goes.
        await account_queries.lock_behind(tx, who.tenant, user_id)
        account_id = await queries.delete_member(tx, who.tenant, user_id)
        await account_queries.delete_unused(tx, account_id)
        require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.invalidate(tx, who.tenant)


async def _touchable(tx: Transaction, who: Caller, user_id: str, precondition: Precondition) -> User:
    """The user under lock, if the caller may do everything that this person may."""
    user = await queries.lock(tx, who.tenant, user_id)
    if user is None:
        raise no_such_user()
    precondition.require(user)
    held = await queries.permissions_of(tx, who.tenant, user.role_ids)
    require_held(who.permissions, held, "change or remove a user")
    return user


async def _governed(tx: Transaction, who: Caller, user_id: str, changes: UserChanges) -> str:
    """The user's account, if this organization may make these changes to it."""
    found = await account_queries.lock_behind(tx, who.tenant, user_id)
    assert found is not None  # noqa: S101 (the user is locked, and none is without an account)
    account, made_account = found
    number = len(await account_queries.organizations(tx, account.id))
    require_own_account(changes, made_account=made_account, organizations=number)
    return account.id


async def _new_hash(db: Database, tenant: TenantId, user_id: str, changes: UserChanges) -> str | None:
    if changes.password is UNSET:
        return None
    if changes.email is UNSET:
        account = await account_queries.behind(db, tenant, user_id)
        email = account[0].email if account else ""
    else:
        email = changes.email
    return await hash_password(changes.password, await account_queries.salt_of(db, email))


def _changed(old: User, changes: UserChanges) -> User:
    fields = given(changes)
    fields.pop("password", None)
    if "role_ids" in fields:
        fields["role_ids"] = sorted(set(fields["role_ids"]))
    return replace(old, **fields)
