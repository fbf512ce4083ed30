"""Inviting, and taking an invitation back."""

import re

import msgspec

from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import BadRequest, Conflict, Forbidden, NotFound, TooManyRequests
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.mail import Mailer
from steward.kit.security.caller import Caller, RequestOrigin
from steward.kit.security.rate_limiter import Limiter
from steward.users import queries
from steward.users.invitations import queries as invitation_queries
from steward.users.invitations.model import (
    EXPIRE_SECONDS,
    INVITATION_LIMIT,
    PAGE,
    CreatedInvitation,
    Invitation,
    NewInvitation,
    new_token,
)
from steward.users.model import require_held

_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


class InvitationContext(msgspec.Struct, frozen=True):
    """What inviting needs."""

    limiter: Limiter
    mailer: Mailer | None
    # Where people reach the service; None leaves it to the request.
    public_url: str | None


def no_such_invitation() -> NotFound:
    return NotFound("There is no such invitation.")


async def invite(
    context: InvitationContext,
    db: Database,
    who: Caller,
    origin: RequestOrigin,
    new: NewInvitation,
    *,
    now: int,
) -> CreatedInvitation:
    """An earlier invitation of the same address is replaced: its link no longer works."""
    if who.user is None:
        raise Forbidden("Only a user, or a key that a user made, can invite.")
    base = context.public_url or _own_url(origin)
    verdict = await context.limiter.take(INVITATION_LIMIT, who.tenant)
    if not verdict.allowed:
        raise TooManyRequests(
            "an organization invites at most 100 people an hour.", retry_after=verdict.reset_seconds
        )
    token = new_token(who.tenant)
    role_ids = sorted(set(new.role_ids))
    invitation = Invitation(new_id("inv"), new.email, new.name, role_ids, who.user, now, now + EXPIRE_SECONDS)
    async with db.transaction() as tx:
        await queries.lock_organization(tx, who.tenant)
        require_held(who.permissions, await queries.permissions_of(tx, who.tenant, role_ids), "assign roles")
        if await queries.find(tx, who.tenant, new.email) is not None:
            raise Conflict("A user of the organization has this e-mail address already.")
        earlier = await invitation_queries.for_email(tx, who.tenant, new.email)
        if earlier is not None:
            await _withdraw(tx, who, earlier)
        await invitation_queries.insert(tx, who.tenant, invitation, token)
        organization = await invitation_queries.organization_name(tx, who.tenant)
    link = f"{base}{PAGE}/{token}"
    mailed = context.mailer is not None and await context.mailer.send(
        new.email, f"Join {organization} on Steward", _letter(new.name, organization, link)
    )
    return CreatedInvitation(**msgspec.structs.asdict(invitation), link=link, mailed=mailed)


async def withdraw(
    db: Database, who: Caller, invitation_id: str, *, precondition: Precondition, now: int
) -> None:
    async with db.transaction() as tx:
        await queries.lock_organization(tx, who.tenant)
        invitation = await invitation_queries.get(tx, who.tenant, invitation_id)
        if invitation is None:
            raise no_such_invitation()
        precondition.require(invitation)
        await _withdraw(tx, who, invitation)


async def _withdraw(tx: Database, who: Caller, invitation: Invitation) -> None:
    """Nobody undoes what they couldn't have done."""
    offered = await queries.permissions_of(tx, who.tenant, invitation.role_ids)
    require_held(who.permissions, offered, "withdraw an invitation")
    await invitation_queries.delete(tx, who.tenant, invitation.id)


def _own_url(origin: RequestOrigin) -> str:
    """As the caller reached us."""
    host = origin.headers.get("host", "")
    if not _HOST.fullmatch(host):
        raise BadRequest("The Host header names no host.")
    return f"{'https' if origin.https else 'http'}://{host}"


def _letter(name: str, organization: str, link: str) -> str:
    return (
        f"Hello {' '.join(name.split())},\n\n"
        f"you are invited to join {' '.join(organization.split())} on Steward. Open this link within 7 days:\n\n"
        f"{link}\n\n"
        "Log in first if you have an account that you want to use; otherwise you make one there.\n"
        "The link works once. If you did not expect it, there is nothing to do.\n"
    )
