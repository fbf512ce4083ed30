"""The logins behind users. An account may open several organizations, as a user in each."""

import msgspec

# On how many accounts of one address a login tries its password, where it names no organization: the oldest. So whoever
# makes accounts with somebody else's address, later and in organizations of their own, can't push that person's out.
MAX_TRIED = 20

# So many passwords that others chose for an account are remembered; checking them and the present one takes few hashes.
MAX_GIVEN = 3


class Account(msgspec.Struct, frozen=True):
    """A login. It may open several organizations, as a user in each."""

    id: str
    email: str
    password_hash: str
    # Grows with every new password; what was made in an earlier one is over.
    generation: int
    # Chosen by the holder, so that nobody else knows it.
    own_password: bool
    # The password was hashed for another address, with the salt of that one.
    renamed: bool


class UserAccount(msgspec.Struct, frozen=True):
    """The account behind a user, and whether the user's organization made it."""

    account: Account
    made_here: bool
