import re

from steward.kit.domain.problems import BadRequest, Forbidden, NotFound
from steward.kit.domain.shared_fields import new_record
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission, missing_permissions
from steward.users.invitations.model import EXPIRE_SECONDS, Invitation, NewInvitation
from steward.users.model import User, UserStatus
from steward.users.rules import distinct

_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


def new_invitation(new: NewInvitation, invited_by: str, now: int) -> Invitation:
    own = {"role_ids": distinct(new.role_ids), "invited_by": invited_by, "expires_at": now + EXPIRE_SECONDS}
    return new_record(Invitation, "inv", new, now, **own)


def require_inviter(who: Caller) -> str:
    """The user who invites."""
    if who.user is None:
        raise Forbidden("Only a user, or a key that a user made, can invite.")
    return who.user


def require_still_given(
    offered: frozenset[Permission], inviter: User | None, held: frozenset[Permission]
) -> None:
    """An invitation gives no more than the inviter may give by now."""
    if inviter is None or inviter.status != UserStatus.ACTIVE or missing_permissions(offered, held):
        raise invitation_over()


def own_url(host: str, *, https: bool) -> str:
    """The service's address, as the caller reached it."""
    if not _HOST.fullmatch(host):
        raise BadRequest("The Host header names no host.")
    return f"{'https' if https else 'http'}://{host}"


def mail_text(name: str, organization: str, link: str) -> str:
    return (
        f"Hello {' '.join(name.split())},\n\n"
        f"you are invited to join {' '.join(organization.split())} on Steward. Open this link within 7 days:\n\n"
        f"{link}\n\n"
        "Log in first if you have an account that you want to use; otherwise you make one there.\n"
        "The link works once. If you did not expect it, there is nothing to do.\n"
    )


def no_such_invitation() -> NotFound:
    return NotFound("There is no such invitation.")


def invitation_over() -> NotFound:
    return NotFound("This invitation was used or withdrawn, or it has expired. Ask for a new one.")
