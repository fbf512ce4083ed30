from collections.abc import Iterable

from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict
from steward.users.accounts.model import Account, UserAccount


def new_account(email: str, password_hash: str, *, own_password: bool) -> Account:
    """`own_password`: the holder chose it, so that only they know it."""
    return Account(
        id=new_id("acc"),
        email=email,
        password_hash=password_hash,
        generation=0,
        own_password=own_password,
        renamed=False,
    )


def managed_by_organization(user: UserAccount, organizations: int) -> bool:
    """An organization controls e-mail and password of an account that it made, while that opens nothing else."""
    return user.made_here and organizations == 1


def require_email_free(others: Iterable[Account], account: Account, message: str) -> None:
    """An organization can't have two accounts with one address."""
    if any(other.id != account.id for other in others):
        raise Conflict(message)


def managed_email() -> Conflict:
    return Conflict("Somebody who administers your organization can change this e-mail address.")


def require_unchanged(locked: Account, checked: Account) -> None:
    """Whether the account still has the password that the new one was compared with."""
    if locked.password_hash != checked.password_hash:
        raise Conflict("The password was changed at the same moment; try again.")
