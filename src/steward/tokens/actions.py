"""Logging in. Too many wrong passwords are refused before the next one is looked at."""

from collections.abc import Sequence

import msgspec

from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Forbidden, Invalid, Unauthenticated
from steward.kit.security.caller import TenantId
from steward.kit.security.passwords import fitting, hash_password, same_salt
from steward.organizations.model import PLAN_REQUIRED
from steward.settings import LegacyJwt
from steward.tokens import queries
from steward.tokens.login_limits import LoginAttempt, LoginLimits, LoginMethod, attempt
from steward.tokens.model import REFRESH_SECONDS, REMOVED, Login, Refresh, Tokens, accepted, organization_of
from steward.tokens.queries import Membership
from steward.tokens.signing import Signer
from steward.users.accounts import queries as account_queries
from steward.users.accounts.model import Account

_WRONG = "The account or the password is wrong."
_WRONG_REFRESH = "The refresh token is not valid; log in again."
SUSPENDED = "This account is suspended."
SEVERAL = "several accounts have this e-mail address and this password; name the organization to log in to"


class LoginContext(msgspec.Struct, frozen=True):
    """What logging in needs. `db` commits on its own: ending a stolen chain must outlive the refused request."""

    db: Database
    signer: Signer
    limits: LoginLimits
    legacy_jwt: LegacyJwt


class Opened(msgspec.Struct, frozen=True):
    """An account whose password was right, with the organizations that it opens now."""

    account: Account
    memberships: list[Membership]

    def opens(self, organization_id: str | None) -> bool:
        return any(organization_id in {None, m.organization_id} for m in self.memberships)


async def open_accounts(
    context: LoginContext,
    door: LoginMethod,
    client: str,
    email: str,
    password: str,
    organization_id: str | None = None,
) -> list[Opened]:
    """The accounts that this password opens, for tokens and for the web app's login alike: at least one."""
    tried = attempt(door, client, email)
    async with context.limits.judging(tried):
        found = await account_queries.find_by_email(context.db, email, organization_id)
        fits = await _fitting(context, tried, found, password)
    memberships = await queries.memberships(context.db, [account.id for account in fits])
    opened = [Opened(account, [m for m in memberships if m.account_id == account.id]) for account in fits]
    # Where somebody is suspended in one organization, the account that they have in another still opens that.
    return [one for one in opened if one.opens(organization_id)] or opened[:1]


async def confirm_password(context: LoginContext, client: str, account: Account, password: str) -> None:
    """For somebody who is logged in, and is to show that it is still them."""
    tried = attempt("form", client, account.email)
    async with context.limits.judging(tried):
        await _fitting(context, tried, [account], password)


async def _fitting(
    context: LoginContext, tried: LoginAttempt, found: Sequence[Account], password: str
) -> list[Account]:
    allowed = await context.limits.open_to(tried, [account.id for account in found])
    found = [account for account in found if account.id in allowed]
    # Apart, so that a renamed account of one's own costs a hash more whether there is another account or not.
    fits = await _of_these([account for account in found if not account.renamed], password)
    if renamed := [account for account in found if account.renamed]:
        fits += await _of_these(renamed, password)
    if not fits:
        raise await context.limits.failed(tried, _WRONG)
    opened = {account.id for account in fits}
    await context.limits.succeeded(tried, opened, allowed - opened)
    return fits


async def _of_these(found: Sequence[Account], password: str) -> list[Account]:
    which = await fitting([account.password_hash for account in found], password)
    return [account for account, fit in zip(found, which, strict=True) if fit]


async def log_in(context: LoginContext, db: Database, client: str, login: Login, *, now: int) -> Tokens:
    _require_accepted(context, now)
    asked = login.organization_id
    opened = await open_accounts(context, "api", client, login.account, login.password, asked)
    if len(opened) > 1 and asked is None:
        raise Invalid("organizationId", SEVERAL)
    account = opened[0].account
    membership = _choose(opened[0].memberships, asked)
    await share_salt(context, account, login.password)
    bearer = queries.Bearer(account.email, account.generation, membership.plan)
    tenant = TenantId(membership.organization_id)
    return await _issue(context, db, tenant, membership.user_id, bearer, chain_id=new_id("rtc"), now=now)


async def share_salt(context: LoginContext, account: Account, password: str) -> None:
    """Accounts that bear one address come to share a salt as people log in, and then one hash is enough for all."""
    like = await account_queries.find_hash_for_salt(context.db, account.email)
    if account.renamed or (like is not None and not same_salt(like, account.password_hash)):
        await account_queries.rehash(context.db, account, await hash_password(password, like))


async def refresh(context: LoginContext, db: Database, client: str, body: Refresh, *, now: int) -> Tokens:
    _require_accepted(context, now)
    token = body.refresh_token
    tenant = TenantId(organization_of(token))
    async with db.transaction() as tx:
        stored = await queries.lock(tx, tenant, token)
        if stored is None or stored.expires <= now:
            raise await context.limits.failed_refresh(client, _WRONG_REFRESH)
        if not stored.used:
            await queries.use(tx, tenant, token)
            bearer = await queries.bearer(tx, tenant, stored.user_id)
            if bearer is None:
                raise Unauthenticated(SUSPENDED)
            if bearer.generation != stored.generation:
                raise await context.limits.failed_refresh(client, _WRONG_REFRESH)
            if not bearer.plan.includes_api:
                raise Forbidden(PLAN_REQUIRED)
            return await _issue(
                context, tx, tenant, stored.user_id, bearer, chain_id=stored.chain_id, now=now
            )
    # Used before: either its holder or a thief comes second, and nobody can tell which.
    await queries.end_chain(context.db, tenant, stored.chain_id)
    raise await context.limits.failed_refresh(client, _WRONG_REFRESH)


async def _issue(
    context: LoginContext,
    db: Database,
    tenant: TenantId,
    user_id: str,
    bearer: queries.Bearer,
    *,
    chain_id: str,
    now: int,
) -> Tokens:
    tokens = context.signer.issue(user_id, tenant, bearer.email, generation=bearer.generation, now=now)
    await queries.insert(
        db,
        tenant,
        tokens.refresh_token,
        chain_id=chain_id,
        user_id=user_id,
        expires=now + REFRESH_SECONDS,
        generation=bearer.generation,
    )
    return tokens


def _choose(memberships: list[Membership], organization_id: str | None) -> Membership:
    """The organization to log in to: the one that was asked for, else the first that has an API."""
    if not memberships:
        raise Unauthenticated(SUSPENDED)
    if organization_id is not None:
        memberships = [m for m in memberships if m.organization_id == organization_id]
        if not memberships:
            raise Forbidden("You are suspended in this organization.")
    for membership in memberships:
        if membership.plan.includes_api:
            return membership
    raise Forbidden(PLAN_REQUIRED)


def _require_accepted(context: LoginContext, now: int) -> None:
    if not accepted(context.legacy_jwt, now):
        raise Forbidden(REMOVED)
