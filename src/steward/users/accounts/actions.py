"""Accounts: new passwords, and what only the holder may change."""

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Conflict, Invalid, NotFound
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.passwords import hash_password, verify_password
from steward.users import queries as user_queries
from steward.users.accounts import queries, rules
from steward.users.accounts.model import Account


async def hash_password_for(db: Database, email: str, password: str) -> str:
    """With the salt that the passwords of this address share."""
    return await hash_password(password, await queries.find_hash_for_salt(db, email))


async def hash_new_password(db: Database, account: Account, password: str) -> str:
    """For a password that the holder chooses.

    It may not be the present one, which somebody else may know, nor one that somebody else chose before.
    """
    given = await queries.given_hashes(db, account.id)
    same, *known = await verify_password([account.password_hash, *given], password)
    if same:
        raise Invalid("newPassword", "must differ from the present password of this account")
    if any(known):
        raise Invalid("newPassword", "must not be a password that somebody else chose for this account")
    return await hash_password_for(db, account.email, password)


async def set_password(
    tx: Transaction, bus: Invalidator, account_id: str, password_hash: str, now: int, *, own: bool
) -> int:
    """Ends all sessions and tokens of the old one, in every process before it returns. Returns the new generation.

    `own`: the holder chose it, so that only they know it.
    """
    generation = await queries.set_password(tx, account_id, password_hash, now, own=own)
    await _end_logins(tx, bus, account_id)
    return generation


async def _end_logins(tx: Transaction, bus: Invalidator, account_id: str) -> None:
    await queries.end_logins(tx, account_id)
    for organization in await queries.organizations(tx, account_id):
        await bus.invalidate(tx, organization)


async def log_out_everywhere(bus: Invalidator, db: Database, account: Account) -> int:
    """By the holder: ends all sessions and tokens, and keeps the password. Returns the new generation."""
    async with db.transaction() as tx:
        generation = await queries.begin_generation(tx, account.id)
        await _end_logins(tx, bus, account.id)
    return generation


async def count_sessions(db: Database, account: Account, *, now: int) -> int:
    return await queries.count_sessions(db, account.id, now)


async def reset_password(
    bus: Invalidator, db: Database, tenant: TenantId, email: str, password: str, *, now: int
) -> Account:
    """By the operator, for the user with this address in the organization."""
    user_id = await user_queries.find(db, tenant, email)
    found = None if user_id is None else await queries.get(db, tenant, user_id)
    if found is None:
        raise NotFound(f"{tenant} has no user {email}")
    account = found.account
    password_hash = await hash_password_for(db, account.email, password)
    async with db.transaction() as tx:
        await set_password(tx, bus, account.id, password_hash, now, own=False)
    return account


async def account_of(db: Database, caller: Caller) -> Account:
    found = await queries.get(db, caller.tenant, caller.user or "")
    if found is None:
        raise NotFound("This account is no longer there.")
    return found.account


async def can_change_email(db: Database, caller: Caller) -> bool:
    """Whether the holder may choose the e-mail address."""
    found = await queries.get(db, caller.tenant, caller.user or "")
    if found is None:
        return False
    organizations = await queries.organizations(db, found.account.id)
    return not rules.managed_by_organization(found, len(organizations))


async def change_password(
    bus: Invalidator, db: Database, account: Account, password: str, *, now: int
) -> int:
    """By the holder. Ends everything that the old one opened; returns the new generation."""
    password_hash = await hash_new_password(db, account, password)
    async with db.transaction() as tx:
        return await set_password(tx, bus, account.id, password_hash, now, own=True)


async def change_email(ctx: Context, email: str, password: str) -> None:
    """The login address. The address in an organization is a matter between it and the person."""
    password_hash = await hash_password_for(ctx.db, email, password)
    async with ctx.transaction() as ctx:
        locked = await _lock_organizations(ctx)
        found = await queries.lock(ctx.tx, ctx.tenant, ctx.who.user or "")
        if found is None:
            raise rules.managed_email()
        account = found.account
        organizations = await queries.organizations(ctx.tx, account.id)
        if rules.managed_by_organization(found, len(organizations)):
            raise rules.managed_email()
        if organizations != locked:
            raise Conflict("You joined or left an organization at the same moment; try again.")
        for organization in organizations:
            others = await queries.find_by_email(ctx.tx, email, organization)
            rules.require_email_free(
                others, account, "Somebody in your organization logs in with this e-mail address already."
            )
        await queries.set_email(ctx.tx, account.id, email, ctx.now)
        await queries.rehash(ctx.tx, account, password_hash)


async def _lock_organizations(ctx: Context) -> list[str]:
    """Before the account, like every code that locks both."""
    organizations = await queries.organizations(ctx.tx, (await account_of(ctx.tx, ctx.who)).id)
    for organization in organizations:
        await user_queries.lock_organization(ctx.tx, TenantId(organization))
    return organizations
