"""Passwords, kept as Argon2 hashes. Hashing takes a while on purpose, so it runs beside the event loop."""

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_hasher = PasswordHasher()


@cache
def _nobody() -> str:
    """Checked when no such account exists, so that the answer takes as long as for one that does."""
    return _hasher.hash("nobody has this password")


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(_hasher.hash, password)


async def verify_password(stored: str | None, password: str) -> bool:
    return await asyncio.to_thread(_matches, stored, password)


def _matches(stored: str | None, password: str) -> bool:
    try:
        return _hasher.verify(stored or _nobody(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
