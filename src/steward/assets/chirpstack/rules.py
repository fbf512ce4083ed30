from msgspec import UNSET

from steward.assets.chirpstack.model import NONE, ChirpStackServer, NewChirpStackServer, StoredServer
from steward.kit.domain.problems import Invalid
from steward.kit.security.encryption import Encryption

PURPOSE = "chirpstack token"


def public(stored: StoredServer | None) -> ChirpStackServer:
    return NONE if stored is None else ChirpStackServer(stored.url, stored.token_last_four, stored.updated)


def changed(
    old: StoredServer | None, new: NewChirpStackServer, encryption: Encryption, now: int
) -> StoredServer | None:
    """None to remove it."""
    if new.url is None:
        return None
    url = new.url.rstrip("/")
    if new.token is not UNSET:
        sealed = encryption.encrypt(PURPOSE, new.token.encode())
        return StoredServer(url, sealed, new.token[-4:], now)
    # A token belongs to one server and must not be sent to another.
    if old is None or old.url != url:
        raise Invalid("token", "is required for another server")
    return old


def open_token(encryption: Encryption, sealed: bytes) -> str:
    """Raises WrongKeyError if it was sealed with another key."""
    return encryption.decrypt(PURPOSE, sealed).decode()
