from msgspec import UNSET
from msgspec.structs import replace

from steward.kit import clock
from steward.kit.bus import Announcer
from steward.kit.caller import Caller
from steward.kit.db import Database, Transaction
from steward.kit.ids import new_id
from steward.kit.passwords import hash_password
from steward.kit.patch import given
from steward.kit.permissions import lacking
from steward.kit.problems import Forbidden, NotFound
from steward.kit.records import require_match
from steward.users import queries
from steward.users.model import (
    NewUser,
    User,
    UserChanges,
    UserStatus,
    require_an_administrator,
    require_own_account,
)


def no_such_user() -> NotFound:
    return NotFound("There is no such user.")


async def create(bus: Announcer, db: Database, who: Caller, new: NewUser) -> User:
    """An account that exists under this e-mail address joins as it is, with the password it has."""
    role_ids = sorted(set(new.role_ids))
    # Hashed in either case, so that the time taken does not tell whether the account exists.
    password_hash = await hash_password(new.password)
    now = clock.now()
    async with db.transaction() as tx:
        await _may_hand_on(tx, who, role_ids)
        user_id = await queries.find_account(tx, new.email)
        if user_id is None:
            user_id = new_id("usr")
            await queries.insert_account(tx, user_id, new.email, password_hash, now)
        user = User(user_id, new.email, new.name, UserStatus.ACTIVE, role_ids, now, now)
        await queries.insert_member(tx, who.tenant, user)
        # A process may remember that this person has no place here.
        await bus.announce(tx, who.tenant)
        return await _as_stored(tx, who, user_id)


async def change(
    bus: Announcer, db: Database, who: Caller, user_id: str, changes: UserChanges, if_match: str | None
) -> User:
    password_hash = None if changes.password is UNSET else await hash_password(changes.password)
    async with db.transaction() as tx:
        old = await queries.lock(tx, who.tenant, user_id)
        if old is None:
            raise no_such_user()
        require_match(old, if_match)
        require_own_account(changes, await queries.count_organizations(tx, user_id))
        new = _changed(old, changes)
        await _may_hand_on(tx, who, sorted(set(new.role_ids) - set(old.role_ids)))
        if new.email != old.email or password_hash is not None:
            # Whoever sets somebody's password can become them.
            await _may_hand_on(tx, who, old.role_ids)
        if new == old and password_hash is None:
            return old
        new = replace(new, updated=clock.now())
        await queries.update_member(tx, who.tenant, new)
        if new.email != old.email:
            await queries.set_email(tx, user_id, new.email, new.updated)
        if password_hash is not None:
            await queries.set_password(tx, user_id, password_hash, new.updated)
            await queries.end_logins(tx, user_id)
        require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.announce(tx, who.tenant)
        return new


async def remove(bus: Announcer, db: Database, who: Caller, user_id: str, if_match: str | None) -> None:
    """Takes the person out of this organization; the account goes with its last membership."""
    async with db.transaction() as tx:
        old = await queries.lock(tx, who.tenant, user_id)
        if old is None:
            raise no_such_user()
        require_match(old, if_match)
        await queries.delete_member(tx, who.tenant, user_id)
        require_an_administrator(await queries.administrators(tx, who.tenant))
        await bus.announce(tx, who.tenant)


def _changed(old: User, changes: UserChanges) -> User:
    fields = given(changes)
    fields.pop("password", None)
    if "role_ids" in fields:
        fields["role_ids"] = sorted(set(fields["role_ids"]))
    return replace(old, **fields)


async def _may_hand_on(tx: Transaction, who: Caller, role_ids: list[str]) -> None:
    """Nobody makes somebody else, or themselves, more powerful than they are."""
    if missing := lacking(await queries.permissions_of(tx, who.tenant, role_ids), who.permissions):
        raise Forbidden(f"You can't assign roles with permissions that you lack: {', '.join(missing)}.")


async def _as_stored(tx: Transaction, who: Caller, user_id: str) -> User:
    user = await queries.get(tx, who.tenant, user_id)
    if user is None:
        raise no_such_user()
    return user
