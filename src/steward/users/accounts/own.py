"""What the holder of an account decides, and nobody else."""

from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Conflict, NotFound
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.passwords import hash_password
from steward.users import queries
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.model import Account


async def account_of(db: Database, caller: Caller) -> Account:
    found = await account_queries.behind(db, caller.tenant, caller.user or "")
    if found is None:
        raise NotFound("This account is no longer there.")
    return found[0]


async def chooses_email(db: Database, caller: Caller) -> bool:
    """Whether the e-mail address is the holder's to choose: not while an organization made the account and has it alone."""
    found = await account_queries.behind(db, caller.tenant, caller.user or "")
    return found is not None and not await _is_its_organizations(db, found[0], made_account=found[1])


async def change_password(
    bus: Invalidator, db: Database, account: Account, password: str, *, now: int
) -> int:
    """Ends everything that the old one opened; returns the generation for what begins now."""
    password_hash = await hash_password(password, await account_queries.salt_of(db, account.email))
    async with db.transaction() as tx:
        return await accounts.set_password(tx, bus, account.id, password_hash, now, own=True)


async def change_email(db: Database, caller: Caller, email: str, password: str, *, now: int) -> None:
    """The address to log in with. How an organization knows the person is a matter between those two."""
    password_hash = await hash_password(password, await account_queries.salt_of(db, email))
    async with db.transaction() as tx:
        organizations = await _lock_organizations(tx, caller)
        found = await account_queries.lock_behind(tx, caller.tenant, caller.user or "")
        if found is None or await _is_its_organizations(tx, found[0], made_account=found[1]):
            raise Conflict("Somebody who administers your organization can change this e-mail address.")
        account = found[0]
        if organizations != await account_queries.organizations(tx, account.id):
            raise Conflict("You joined or left an organization at the same moment; try again.")
        for organization in organizations:
            # So that no organization gathers accounts that bear one address.
            bearing = await account_queries.bearing(tx, email, organization)
            if any(other.id != account.id for other in bearing):
                raise Conflict("Somebody in your organization logs in with this e-mail address already.")
        await account_queries.set_email(tx, account.id, email, now)
        await account_queries.rehash(tx, account, password_hash)


async def _lock_organizations(tx: Transaction, caller: Caller) -> list[str]:
    """Before the account, like everyone who locks both."""
    organizations = await account_queries.organizations(tx, (await account_of(tx, caller)).id)
    for organization in organizations:
        await queries.lock_organization(tx, TenantId(organization))
    return organizations


async def _is_its_organizations(db: Database, account: Account, *, made_account: bool) -> bool:
    return made_account and len(await account_queries.organizations(db, account.id)) == 1
