"""Invitations: the link proves who was invited, and its holder chooses the account that joins."""

import msgspec
from msgspec.structs import replace

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Conflict, Invalid
from steward.kit.events.actor import user_actor
from steward.kit.events.event_types import build_event, deletion
from steward.kit.events.publish import publish
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.runtime.mail import Mailer
from steward.kit.security import link_token
from steward.kit.security.caller import RequestOrigin, TenantId
from steward.kit.security.permissions import require_held
from steward.users import queries as user_queries
from steward.users import rules as user_rules
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries
from steward.users.accounts import rules as account_rules
from steward.users.accounts.model import Account
from steward.users.events import CREATED
from steward.users.invitations import events, queries, rules
from steward.users.invitations.model import (
    INVITATION_LIMIT,
    PAGE,
    AcceptedInvitation,
    CreatedInvitation,
    Invitation,
    NewInvitation,
    Offer,
)


class InvitationContext(msgspec.Struct, frozen=True):
    """What creating an invitation needs."""

    limiter: Limiter
    mailer: Mailer | None
    # The service's public address; None takes it from the request.
    public_url: str | None


async def invite(
    context: InvitationContext, ctx: Context, origin: RequestOrigin, new: NewInvitation
) -> CreatedInvitation:
    """Replaces an earlier invitation of the same address, whose link stops working."""
    invited_by = rules.require_inviter(ctx.who)
    base_url = context.public_url or rules.own_url(origin.headers.get("host", ""), https=origin.https)
    words = "an organization invites at most 100 people an hour."
    await context.limiter.require(INVITATION_LIMIT, ctx.tenant, words)
    invitation, token = rules.new_invitation(new, invited_by, ctx.now), link_token.new(ctx.tenant)
    async with ctx.transaction() as ctx:
        await user_queries.lock_organization(ctx.tx, ctx.tenant)
        granted = await user_queries.permissions_of_roles(ctx.tx, ctx.tenant, invitation.role_ids)
        require_held(ctx.who.permissions, granted, "assign roles with")
        if await user_queries.find(ctx.tx, ctx.tenant, new.email) is not None:
            raise Conflict("A user of the organization has this e-mail address already.")
        earlier = await queries.find_by_email(ctx.tx, ctx.tenant, new.email)
        if earlier is not None:
            await _withdraw(ctx, earlier)
        await queries.insert(ctx.tx, ctx.tenant, invitation, link_token.digest(token))
        await records.publish(ctx, events.CREATED, invitation)
        organization = await queries.organization_name(ctx.tx, ctx.tenant)
    link = f"{base_url}{PAGE}/{token}"
    mailed = context.mailer is not None and await context.mailer.send(
        new.email, f"Join {organization} on Steward", rules.mail_text(new.name, organization, link)
    )
    return CreatedInvitation(**msgspec.structs.asdict(invitation), link=link, mailed=mailed)


async def withdraw(ctx: Target) -> None:
    async with ctx.transaction() as ctx:
        await user_queries.lock_organization(ctx.tx, ctx.tenant)
        invitation = await queries.get(ctx.tx, ctx.tenant, ctx.id)
        if invitation is None:
            raise rules.no_such_invitation()
        ctx.precondition.require(invitation)
        await _withdraw(ctx, invitation)


async def _withdraw(ctx: Context, invitation: Invitation) -> None:
    """Callers can't withdraw an invitation with permissions that they lack."""
    offered = await user_queries.permissions_of_roles(ctx.tx, ctx.tenant, invitation.role_ids)
    require_held(ctx.who.permissions, offered, "withdraw an invitation with")
    await queries.delete(ctx.tx, ctx.tenant, invitation.id)
    await records.publish_deletion(ctx, events.DELETED, invitation)


async def find_offer(db: Database, token: str, *, now: int) -> Offer:
    """The invitation of a link; 404 once it has ended."""
    tenant = TenantId(link_token.owner(token))
    offer = await queries.find_offer(db, tenant, link_token.digest(token), now)
    if offer is None:
        raise rules.invitation_over()
    return offer


async def accept_with_new_account(
    bus: Invalidator, db: Database, token: str, password: str, *, now: int
) -> AcceptedInvitation:
    email = (await find_offer(db, token, now=now)).invitation.email
    password_hash = await accounts.hash_password_for(db, email, password)
    account = account_rules.new_account(email, password_hash, own_password=True)
    async with db.transaction() as tx:
        offer = await _take(tx, token, now)
        await account_queries.insert(tx, account, now)
        return await _join(tx, bus, offer, account, now)


async def accept_with_account(
    bus: Invalidator, ctx: Context, token: str, new_password: str | None
) -> AcceptedInvitation:
    """With the account that the caller is logged in with.

    An account whose password an organization chose opens that organization only: everyone who knows that
    password would get in here as well. So its holder chooses another one first, which ends everything that
    the old one opened.
    """
    password_hash, checked = None, await accounts.account_of(ctx.db, ctx.who)
    if new_password is not None:
        password_hash = await accounts.hash_new_password(ctx.db, checked, new_password)
    async with ctx.transaction() as ctx:
        offer = await _take(ctx.tx, token, ctx.now)
        found = await account_queries.lock(ctx.tx, ctx.tenant, ctx.who.user or "")
        if found is None:
            raise rules.invitation_over()
        account = found.account
        if password_hash is not None:
            account_rules.require_unchanged(account, checked)
            generation = await accounts.set_password(
                ctx.tx, bus, account.id, password_hash, ctx.now, own=True
            )
            account = replace(account, generation=generation, own_password=True)
        if not account.own_password:
            raise Invalid("newPassword", "choose a password of your own")
        others = await account_queries.find_by_email(ctx.tx, account.email, offer.organization_id)
        account_rules.require_email_free(
            others, account, "Somebody in this organization logs in with your e-mail address already."
        )
        return await _join(ctx.tx, bus, offer, account, ctx.now)


async def _take(tx: Transaction, token: str, now: int) -> Offer:
    """Uses the invitation up."""
    tenant = TenantId(link_token.owner(token))
    await user_queries.lock_organization(tx, tenant)
    offer = await find_offer(tx, token, now=now)
    invitation = offer.invitation
    offered = await user_queries.permissions_of_roles(tx, tenant, invitation.role_ids)
    inviter = await user_queries.get(tx, tenant, invitation.invited_by)
    held = await user_queries.permissions_of_user(tx, tenant, invitation.invited_by)
    rules.require_still_given(offered, inviter, held)
    await queries.delete(tx, tenant, invitation.id)
    return offer


async def _join(
    tx: Transaction, bus: Invalidator, offer: Offer, account: Account, now: int
) -> AcceptedInvitation:
    tenant, invitation = TenantId(offer.organization_id), offer.invitation
    user = user_rules.new_user(
        email=invitation.email, name=invitation.name, role_ids=invitation.role_ids, now=now
    )
    await user_queries.insert(tx, tenant, user, account.id, made_account=False)
    joined = [
        deletion(events.DELETED, invitation, tenant=tenant, now=now),
        build_event(CREATED, user, tenant=tenant, now=now),
    ]
    await publish(tx, tenant, [replace(event, actor=user_actor(user.id)) for event in joined], now)
    await bus.invalidate(tx, tenant)
    return AcceptedInvitation(tenant, user.id, account.generation)
