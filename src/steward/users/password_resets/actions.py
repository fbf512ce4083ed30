"""Requesting a link, issuing one for another user, and setting a password with it."""

import msgspec

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.db.pool import Database, Transaction
from steward.kit.jobs.background import BackgroundTasks
from steward.kit.records.context import Target
from steward.kit.runtime.mail import Mailer
from steward.kit.security import link_token
from steward.kit.security.caller import TenantId
from steward.kit.security.client_address import address_key
from steward.kit.security.permissions import require_held
from steward.users import queries as user_queries
from steward.users import rules as user_rules
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.accounts.model import Account
from steward.users.password_resets import queries, rules
from steward.users.password_resets.model import (
    ADDRESS_LIMIT,
    EMAIL_LIMIT,
    PAGE,
    IssuedLink,
    LinkForAccount,
    OpenReset,
    PasswordReset,
)


class ResetMail(msgspec.Struct, frozen=True):
    """What mailing links needs."""

    limiter: Limiter
    background: BackgroundTasks
    mailer: Mailer | None
    # Never from the Host of a request: the requester would choose where somebody else's link leads.
    public_url: str | None

    @property
    def possible(self) -> bool:
        return self.mailer is not None and self.public_url is not None


async def request_link(mail: ResetMail, db: Database, client: str, email: str, *, now: int) -> None:
    """Looks for the account after the answer, whose words and time so reveal nothing of it."""
    for limit, subject in ((ADDRESS_LIMIT, address_key(client)), (EMAIL_LIMIT, rules.email_key(email))):
        await mail.limiter.require(limit, subject, f"{limit.allowed} {limit.what} an hour.")
    mail.background.start("mail a link for a new password", _mail_links(mail, db, email, now))


async def _mail_links(mail: ResetMail, db: Database, email: str, now: int) -> None:
    """To the account's address, which may be spelled differently from the requested one."""
    found = await account_queries.find_by_email(db, email)
    opened = await queries.opened_organizations(db, [account.id for account in found])
    letters: dict[str, list[LinkForAccount]] = {}
    for account in found:
        # A person who is suspended everywhere has nothing to log in to.
        if organizations := opened.get(account.id):
            link = await _make(db, rules.mailed_reset(account, now), mail.public_url or "")
            letters.setdefault(account.email, []).append(LinkForAccount(organizations, link))
    for address, links in letters.items():
        if mail.mailer is not None:
            await mail.mailer.send(address, "A new password for Steward", rules.mail_text(links))


async def _make(db: Database, reset: PasswordReset, base_url: str) -> str:
    token = link_token.new(reset.account_id)
    await queries.replace(db, reset, link_token.digest(token))
    return f"{base_url}{PAGE}/{token}"


async def issue_link(ctx: Target, base_url: str) -> IssuedLink:
    """By an administrator, to be handed over."""
    issuer = rules.require_issuer(ctx.who, ctx.id)
    async with ctx.transaction() as ctx:
        user = await user_queries.lock(ctx.tx, ctx.tenant, ctx.id)
        if user is None:
            raise user_rules.no_such_user()
        held = await user_queries.permissions_of_roles(ctx.tx, ctx.tenant, user.role_ids)
        require_held(ctx.who.permissions, held, "make a link for a user with")
        rules.require_active(user)
        found = await account_queries.lock(ctx.tx, ctx.tenant, ctx.id)
        if found is None:
            raise user_rules.no_such_user()
        reset = rules.issued_reset(found.account, ctx.who, issuer, ctx.now)
        # Written before the memberships of all organizations are read: a sharded database accepts only this
        # order.
        link = await _make(ctx.tx, reset, base_url)
        rules.require_only_here(await account_queries.organizations(ctx.tx, found.account.id), ctx.tenant)
        return IssuedLink(user.name, found.account.email, link)


async def find_open(db: Database, token: str, *, now: int) -> OpenReset:
    """What a link opens; 404 once it has ended, and while the account opens nothing."""
    found = await queries.find(db, link_token.owner(token), link_token.digest(token), now)
    if found is None or not await queries.opened_organizations(db, [found.reset.account_id]):
        raise rules.reset_over()
    return found


async def set_password(bus: Invalidator, db: Database, token: str, password: str, *, now: int) -> Account:
    """Uses the link up, and ends everything that the old password opened. Returns the account as it is now."""
    found = await find_open(db, token, now=now)
    reset, email = found.reset, found.email
    checked = await account_queries.get_by_id(db, reset.account_id)
    if checked is None:
        raise rules.reset_over()
    password_hash = await accounts.hash_new_password(db, checked, password)
    async with db.transaction() as tx:
        if reset.issued_in is not None:
            await user_queries.lock_organization(tx, TenantId(reset.issued_in))
        await account_queries.lock_by_id(tx, reset.account_id)
        if await queries.find(tx, reset.account_id, link_token.digest(token), now) is None:
            raise rules.reset_over()
        await queries.delete(tx, reset.account_id)
        # The issuer may have opened the link, too: only a mailed link proves that the holder chose the password.
        generation = await accounts.set_password(
            tx, bus, reset.account_id, password_hash, now, own=reset.mailed
        )
        # After the write, for a sharded database; a refusal rolls it back.
        await _require_still_given(tx, reset)
    return Account(reset.account_id, email, password_hash, generation, reset.mailed, renamed=False)


async def _require_still_given(tx: Transaction, reset: PasswordReset) -> None:
    if reset.issued_in is None:
        return
    tenant = TenantId(reset.issued_in)
    user_id = await queries.user_in(tx, tenant, reset.account_id)
    held = await user_queries.permissions_of_user(tx, tenant, reset.issued_by or "")
    wanted = await user_queries.permissions_of_user(tx, tenant, user_id or "")
    organizations = await account_queries.organizations(tx, reset.account_id)
    if not rules.still_given(reset, organizations, held, wanted):
        raise rules.reset_over()
