"""Accepting an invitation. The link proves who was invited; the account that joins is the holder's own choice."""

import msgspec
from msgspec.structs import replace

from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict, Invalid
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.passwords import hash_password
from steward.kit.security.permissions import missing_permissions
from steward.users import queries
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.accounts.own import account_of
from steward.users.invitations import queries as invitation_queries
from steward.users.invitations.model import Offer, over
from steward.users.model import User, UserStatus


class Joined(msgspec.Struct, frozen=True):
    """A new place in an organization, and the generation of the account behind it."""

    organization_id: str
    user_id: str
    generation: int


async def offer(db: Database, token: str, *, now: int) -> Offer:
    """What a link invites to; 404 once that is over."""
    tenant = TenantId(token.partition(".")[0])
    found = await invitation_queries.offer(db, tenant, token, now)
    if found is None:
        raise over()
    return found


async def join_with_new_account(
    bus: Invalidator, db: Database, token: str, password: str, *, now: int
) -> Joined:
    email = (await offer(db, token, now=now)).invitation.email
    password_hash = await hash_password(password, await account_queries.salt_of(db, email))
    async with db.transaction() as tx:
        found = await _take(tx, token, now)
        account_id = await account_queries.insert(tx, email, password_hash, now, own_password=True)
        return await _admit(tx, bus, found, account_id, generation=0, now=now)


async def join_with(
    bus: Invalidator, db: Database, caller: Caller, token: str, new_password: str | None, *, now: int
) -> Joined:
    """With the account that the caller is logged in with.

    One whose password an organization chose opens that organization only: whoever knows that password would come in here as
    well. So its holder chooses another one first, which ends everything that the old one opened.
    """
    password_hash = None
    if new_password is not None:
        account = await account_of(db, caller)
        password_hash = await hash_password(new_password, await account_queries.salt_of(db, account.email))
    async with db.transaction() as tx:
        found = await _take(tx, token, now)
        locked = await account_queries.lock_behind(tx, caller.tenant, caller.user or "")
        if locked is None:
            raise over()
        account = locked[0]
        if password_hash is not None:
            generation = await accounts.set_password(tx, bus, account.id, password_hash, now, own=True)
            account = replace(account, generation=generation, own_password=True)
        if not account.own_password:
            raise Invalid("newPassword", "choose a password of your own")
        # So that no organization gathers accounts that bear one address.
        bearing = await account_queries.bearing(tx, account.email, found.organization_id)
        if any(other.id != account.id for other in bearing):
            raise Conflict("Somebody in this organization logs in with your e-mail address already.")
        return await _admit(tx, bus, found, account.id, generation=account.generation, now=now)


async def _take(tx: Transaction, token: str, now: int) -> Offer:
    """Uses the invitation up. It gives no more than whoever invited may give by now."""
    tenant = TenantId(token.partition(".")[0])
    await queries.lock_organization(tx, tenant)
    found = await invitation_queries.offer(tx, tenant, token, now)
    if found is None:
        raise over()
    offered = await queries.permissions_of(tx, tenant, found.invitation.role_ids)
    inviter = await queries.get(tx, tenant, found.invitation.invited_by)
    held = await queries.permissions_of_member(tx, tenant, found.invitation.invited_by)
    if inviter is None or inviter.status != UserStatus.ACTIVE or missing_permissions(offered, held):
        raise over()
    await invitation_queries.delete(tx, tenant, found.invitation.id)
    return found


async def _admit(
    tx: Transaction, bus: Invalidator, found: Offer, account_id: str, *, generation: int, now: int
) -> Joined:
    tenant, invitation = TenantId(found.organization_id), found.invitation
    user = User(
        new_id("usr"), invitation.email, invitation.name, UserStatus.ACTIVE, invitation.role_ids, now, now
    )
    await queries.insert_member(tx, tenant, user, account_id, made_account=False)
    await bus.invalidate(tx, tenant)
    return Joined(tenant, user.id, generation)
