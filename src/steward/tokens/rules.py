from collections.abc import Sequence

from steward.kit.domain.problems import Forbidden, Unauthenticated
from steward.organizations.model import PLAN_REQUIRED
from steward.settings import LegacyJwt
from steward.tokens.model import REMOVAL, REMOVED, Membership, OpenedAccount

SUSPENDED = "This account is suspended."


def is_accepted(mode: LegacyJwt, now: float) -> bool:
    """Whether password tokens are still accepted."""
    return mode == "on" or (mode == "until-removal" and now <= REMOVAL.timestamp())


def require_accepted(mode: LegacyJwt, now: float) -> None:
    if not is_accepted(mode, now):
        raise Forbidden(REMOVED)


def usable_accounts(opened: Sequence[OpenedAccount], organization_id: str | None) -> Sequence[OpenedAccount]:
    """The accounts that open the organization, or any if none is named; at least one, which may open nothing.

    If a person is suspended in one organization, their account in another still opens that.
    """
    usable = [
        account
        for account in opened
        if any(organization_id in {None, membership.organization_id} for membership in account.memberships)
    ]
    return usable or opened[:1]


def choose_membership(memberships: Sequence[Membership], organization_id: str | None) -> Membership:
    """The organization to log in to: the requested one, else the first with an API."""
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
