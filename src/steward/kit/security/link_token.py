"""The secret in a link, a session's cookie or a refresh token. Only its digest is stored."""

import hashlib
import secrets


def new(owner: str) -> str:
    """Begins with the organization or account that it is of, so that its row is found by key."""
    return f"{owner}.{secrets.token_urlsafe(32)}"


def owner(token: str) -> str:
    """As the token says; anybody may write one, so only a row with its digest makes this true."""
    return token.partition(".")[0]


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
