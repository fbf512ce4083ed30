"""The logins behind users. An account may open several organizations, as a user in each."""

import msgspec

# How many accounts of one address a login without an organization tries: the oldest. So accounts made later
# with somebody else's address, in other organizations, can't lock that person out.
MAX_TRIED = 20

# How many passwords chosen by others are remembered for an account; checking them and the present one takes
# few hashes.
MAX_GIVEN = 3


class Account(msgspec.Struct, frozen=True):
    """A login. It may open several organizations, as a user in each."""

    id: str
    email: str
    password_hash: str
    # Grows with every new password; tokens and sessions of earlier generations are invalid.
    generation: int
    # Chosen by the holder, so that only they know it.
    own_password: bool
    # The password was hashed for another address, with that one's salt.
    renamed: bool


class UserAccount(msgspec.Struct, frozen=True):
    """The account behind a user, and whether the user's organization made it."""

    account: Account
    made_here: bool
