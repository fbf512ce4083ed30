"""Passwords, kept as Argon2 hashes. Hashing takes a while on purpose, so it runs beside the event loop.

Several accounts may bear one e-mail address, and a login tries its password on all of them. They share a salt where that can
be: one hash is then compared with all of theirs, so that a login costs the same however many there are, and its time doesn't
tell.
"""

import asyncio
import base64
import hmac
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, TypeVar

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError
from argon2.low_level import hash_secret

from steward.kit.domain.problems import Unavailable

# In place of a hash until a password is set.
UNUSABLE = "!"
# Hashes that one check computes at most, for accounts that don't share a salt.
MAX_HASHES = 4

T = TypeVar("T")

_hasher = PasswordHasher()


async def hash_password(password: str, salt_of: str | None = None) -> str:
    """With the salt of another hash, where one is given and has one."""
    salt = None if salt_of is None else _salt(salt_of)
    return await _in_thread(partial(_hasher.hash, salt=salt), password)


async def verify_password(stored: Sequence[str], password: str) -> list[bool]:
    """Which of these hashes are of this password. Where there is none to compare with, it takes just as long."""
    return await _in_thread(_verify, stored, password)


def same_salt(one: str, other: str) -> bool:
    return _salt(one) == _salt(other)


def _verify(stored: Sequence[str], password: str) -> list[bool]:
    computed: dict[str, str] = {}  # by what they were made with
    for one in stored:
        parameters = _parameters(one)
        if parameters and parameters not in computed and len(computed) < MAX_HASHES:
            computed[parameters] = _hash_like(one, password)
    if not computed:
        _hash_like(_dummy_hash(), password)
    hashes = [computed.get(_parameters(one)) for one in stored]
    return [bool(made and hmac.compare_digest(made, one)) for made, one in zip(hashes, stored, strict=True)]


def _parameters(stored: str) -> str:
    """Parameters and salt: `$argon2id$v=19$m=65536,t=3,p=4$c2FsdA`; empty for what is no hash."""
    return stored.rpartition("$")[0] if _salt(stored) else ""


def _salt(stored: str) -> bytes | None:
    parts = stored.split("$")
    if len(parts) != 6:
        return None
    return base64.b64decode(parts[4] + "=" * (-len(parts[4]) % 4))


def _hash_like(stored: str, password: str) -> str:
    try:
        used = extract_parameters(stored)
    except InvalidHashError:
        return ""
    return hash_secret(
        password.encode(),
        _salt(stored) or b"",
        time_cost=used.time_cost,
        memory_cost=used.memory_cost,
        parallelism=used.parallelism,
        hash_len=used.hash_len,
        type=used.type,
        version=used.version,
    ).decode()


@cache
def _dummy_hash() -> str:
    return _hasher.hash("no account has this password")


# Each takes 64 MiB and what it can get of the processor for some hundredths of a second.
_THREADS = 2
_MAX_WAITING = 100

_threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="password")
_waiting = 0


async def _in_thread(work: Callable[..., T], *values: Any) -> T:
    """In threads of its own: nothing else that waits for a thread waits for a crowd of people who log in."""
    global _waiting  # noqa: PLW0603 (one crowd per process)
    if _waiting >= _MAX_WAITING:
        raise Unavailable("Too many passwords are being checked at the moment; try again shortly.")
    _waiting += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, work, *values)
    finally:
        _waiting -= 1
