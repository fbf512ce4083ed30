import hashlib
from collections.abc import Collection, Sequence

from steward.kit.domain.problems import Conflict, Forbidden, NotFound
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import Permission, missing_permissions
from steward.users.accounts.model import Account
from steward.users.model import User, UserStatus
from steward.users.password_resets.model import (
    ISSUED_SECONDS,
    MAILED_SECONDS,
    LinkForAccount,
    PasswordReset,
)


def mailed_reset(account: Account, now: int) -> PasswordReset:
    return PasswordReset(account.id, account.generation, now + MAILED_SECONDS)


def issued_reset(account: Account, who: Caller, issuer: str, now: int) -> PasswordReset:
    return PasswordReset(account.id, account.generation, now + ISSUED_SECONDS, who.tenant, issuer)


def email_key(email: str) -> str:
    """The key that counts requests for an address; a digest is enough."""
    return hashlib.blake2b(email.strip().lower().encode(), digest_size=16).hexdigest()


def require_issuer(who: Caller, user_id: str) -> str:
    """The user who issues the link for another: a session that was left open must not be enough for a new password."""
    if who.user is None:
        raise Forbidden("Only a user can make a link for a new password.")
    if who.user == user_id:
        raise Conflict("Change your own password on the page of your account.")
    return who.user


def require_active(user: User) -> None:
    if user.status != UserStatus.ACTIVE:
        raise Conflict("This person is suspended: a new password would open nothing. Make them active first.")


def require_only_here(organizations: Sequence[str], tenant: TenantId) -> None:
    """Who sets a password can log in wherever it opens; no single organization may grant that."""
    if list(organizations) != [tenant]:
        raise Conflict(
            "This person's account opens other organizations, too, so none of them can make a link for it. They can have "
            "one mailed to them (“Forgot your password?” on the login page), or the operator of this service sets a password "
            "with `steward user set-password`."
        )


def still_given(
    reset: PasswordReset,
    organizations: Sequence[str],
    held: Collection[Permission],
    wanted: Collection[Permission],
) -> bool:
    """An administrator's link works while its maker could still make it."""
    return (
        list(organizations) == [reset.issued_in]
        and Permission.USERS_WRITE in held
        and not missing_permissions(wanted, frozenset(held))
    )


def mail_text(links: Sequence[LinkForAccount]) -> str:
    if len(links) == 1:
        choice = f"Open this link within an hour to choose a new password for Steward:\n\n{links[0].link}\n"
    else:
        each = "\n".join(f"{_names(link)}:\n{link.link}\n" for link in links)
        choice = (
            "Several accounts have this e-mail address. Open the link of the one that you want to choose a new "
            f"password for, within an hour:\n\n{each}"
        )
    return (
        f"Hello,\n\nsomebody, probably you, asked for a new password.\n\n{choice}\n"
        "Each link works once and logs you out everywhere. Earlier links no longer work.\n"
        "If you didn't ask for it, there is nothing to do: your password stays as it is.\n"
    )


def _names(link: LinkForAccount) -> str:
    return ", ".join(" ".join(name.split()) for name in link.organizations)


def reset_over() -> NotFound:
    return NotFound("This link was used or replaced by a newer one, or it has expired. Ask for a new one.")
