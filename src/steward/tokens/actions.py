"""Logging in. After too many wrong passwords, further ones are refused unchecked."""

from collections.abc import Sequence

import msgspec

from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Forbidden, Invalid, Unauthenticated
from steward.kit.security import link_token
from steward.kit.security.caller import TenantId
from steward.kit.security.passwords import hash_password, same_salt, verify_password
from steward.organizations.model import PLAN_REQUIRED
from steward.settings import LegacyJwt
from steward.tokens import queries, rules
from steward.tokens.login_limits import LoginAttempt, LoginLimits, LoginMethod, login_attempt
from steward.tokens.model import (
    REFRESH_SECONDS,
    Login,
    OpenedAccount,
    StoredRefreshToken,
    TokenHolder,
    TokenRefresh,
    Tokens,
)
from steward.tokens.signing import Signer
from steward.users.accounts import queries as account_queries
from steward.users.accounts.model import Account

_WRONG = "The account or the password is wrong."
_WRONG_REFRESH = "The refresh token is not valid; log in again."
_SEVERAL = "several accounts have this e-mail address and this password; name the organization to log in to"


class LoginContext(msgspec.Struct, frozen=True):
    """What logging in needs. `db` commits on its own: ending a stolen chain must outlive the refused request."""

    db: Database
    signer: Signer
    limits: LoginLimits
    legacy_jwt: LegacyJwt


async def open_accounts(
    context: LoginContext,
    method: LoginMethod,
    client: str,
    email: str,
    password: str,
    organization_id: str | None = None,
) -> Sequence[OpenedAccount]:
    """The accounts that this password opens, for tokens and for the web app's login alike: at least one."""
    attempt = login_attempt(method, client, email)
    async with context.limits.admit(attempt):
        accounts = await account_queries.find_by_email(context.db, email, organization_id)
        opened = await _check_password(context, attempt, accounts, password)
    memberships = await queries.memberships(context.db, [account.id for account in opened])
    return rules.usable_accounts(
        [
            OpenedAccount(account, [m for m in memberships if m.account_id == account.id])
            for account in opened
        ],
        organization_id,
    )


async def confirm_password(context: LoginContext, client: str, account: Account, password: str) -> None:
    """Asks a logged-in person for their password again."""
    attempt = login_attempt("form", client, account.email)
    async with context.limits.admit(attempt):
        await _check_password(context, attempt, [account], password)


async def _check_password(
    context: LoginContext, attempt: LoginAttempt, accounts: Sequence[Account], password: str
) -> list[Account]:
    """Those of the accounts that it opens; 401 if there are none, and 429 after too many such attempts."""
    allowed = await context.limits.allowed_accounts(attempt, [account.id for account in accounts])
    accounts = [account for account in accounts if account.id in allowed]
    # Checked separately, so that a renamed account of the caller's costs one more hash whether another
    # account exists or not.
    opened = await _with_password([account for account in accounts if not account.renamed], password)
    if renamed := [account for account in accounts if account.renamed]:
        opened += await _with_password(renamed, password)
    if not opened:
        raise await context.limits.count_failure(attempt, _WRONG)
    opened_ids = {account.id for account in opened}
    await context.limits.count_success(attempt, opened_ids, allowed - opened_ids)
    return opened


async def _with_password(accounts: Sequence[Account], password: str) -> list[Account]:
    matches = await verify_password([account.password_hash for account in accounts], password)
    return [account for account, match in zip(accounts, matches, strict=True) if match]


async def log_in(context: LoginContext, db: Database, client: str, login: Login, *, now: int) -> Tokens:
    rules.require_accepted(context.legacy_jwt, now)
    organization_id = login.organization_id
    opened = await open_accounts(context, "api", client, login.account, login.password, organization_id)
    if len(opened) > 1 and organization_id is None:
        raise Invalid("organizationId", _SEVERAL)
    account = opened[0].account
    membership = rules.choose_membership(opened[0].memberships, organization_id)
    await share_salt(context, account, login.password)
    holder = TokenHolder(account.email, account.generation, membership.plan)
    tenant = TenantId(membership.organization_id)
    return await _issue(context, db, tenant, membership.user_id, holder, chain_id=new_id("rtc"), now=now)


async def share_salt(context: LoginContext, account: Account, password: str) -> None:
    """Accounts with one address get the same salt as people log in, and then one hash is enough for all."""
    shared = await account_queries.find_hash_for_salt(context.db, account.email)
    if account.renamed or (shared is not None and not same_salt(shared, account.password_hash)):
        await account_queries.rehash(context.db, account, await hash_password(password, shared))


async def refresh(
    context: LoginContext, db: Database, client: str, body: TokenRefresh, *, now: int
) -> Tokens:
    rules.require_accepted(context.legacy_jwt, now)
    token = body.refresh_token
    tenant, digest = TenantId(link_token.owner(token)), link_token.digest(token)
    async with db.transaction() as tx:
        stored = await queries.lock(tx, tenant, digest)
        if stored is None or stored.expires <= now:
            raise await context.limits.count_failed_refresh(client, _WRONG_REFRESH)
        if not stored.used:
            await queries.mark_used(tx, tenant, digest)
            holder = await queries.find_holder(tx, tenant, stored.user_id)
            if holder is None:
                raise Unauthenticated(rules.SUSPENDED)
            if holder.generation != stored.generation:
                raise await context.limits.count_failed_refresh(client, _WRONG_REFRESH)
            if not holder.plan.includes_api:
                raise Forbidden(PLAN_REQUIRED)
            return await _issue(
                context, tx, tenant, stored.user_id, holder, chain_id=stored.chain_id, now=now
            )
    # Used before: either its holder or a thief uses it a second time, and we can't tell which.
    await queries.end_chain(context.db, tenant, stored.chain_id)
    raise await context.limits.count_failed_refresh(client, _WRONG_REFRESH)


async def _issue(
    context: LoginContext,
    db: Database,
    tenant: TenantId,
    user_id: str,
    holder: TokenHolder,
    *,
    chain_id: str,
    now: int,
) -> Tokens:
    tokens = context.signer.issue(user_id, tenant, holder.email, generation=holder.generation, now=now)
    stored = StoredRefreshToken(
        chain_id=chain_id,
        user_id=user_id,
        used=False,
        expires=now + REFRESH_SECONDS,
        generation=holder.generation,
    )
    await queries.insert(db, tenant, link_token.digest(tokens.refresh_token), stored)
    return tokens
