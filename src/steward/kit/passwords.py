"""Passwords, kept as Argon2 hashes. Hashing takes a while on purpose, so it runs beside the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from steward.kit.problems import Unavailable

T = TypeVar("T")

_hasher = PasswordHasher()


@cache
def _nobody() -> str:
    """Checked when no such account exists, so that the answer takes as long as for one that does."""
    return _hasher.hash("nobody has this password")


# Each takes 64 MiB and what it can get of the processor for some hundredths of a second.
_AT_ONCE = 2
_MOST_WAITING = 100

_threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="password")
_waiting = 0


async def hash_password(password: str) -> str:
    return await _beside(_hasher.hash, password)


async def verify_password(stored: str | None, password: str) -> bool:
    return await _beside(_matches, stored, password)


async def _beside(work: Callable[..., T], *values: Any) -> T:
    """In threads of its own: nothing else that waits for a thread waits for a crowd of people who log in."""
    global _waiting  # noqa: PLW0603 (one crowd per process)
    if _waiting >= _MOST_WAITING:
        raise Unavailable("Too many passwords are being checked at the moment; try again shortly.")
    _waiting += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, work, *values)
    finally:
        _waiting -= 1


def _matches(stored: str | None, password: str) -> bool:
    try:
        return _hasher.verify(stored or _nobody(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
