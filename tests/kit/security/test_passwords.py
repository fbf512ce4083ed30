import asyncio

import pytest
from argon2 import PasswordHasher

from steward.kit.security.passwords import MAX_HASHES, UNUSABLE, hash_password, same_salt, verify_password

_cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def cheap(password: str, salt: bytes = b"sixteen bytes of") -> str:
    return _cheap.hash(password, salt=salt)


def fit(stored: list[str], password: str) -> list[bool]:
    return asyncio.run(verify_password(stored, password))


def test_every_hash_of_the_password_is_found() -> None:
    stored = [cheap("right"), cheap("wrong"), cheap("right", b"another salt yet"), cheap("right")]
    assert fit(stored, "right") == [True, False, True, True]
    assert fit(stored, "neither") == [False] * 4


@pytest.mark.parametrize("stored", ["", UNUSABLE, "$", "$$$$$", "$argon2id$v=19$m=8,t=1,p=1$$", "right"])
@pytest.mark.parametrize("password", ["", "!", "right"])
def test_malformed_hashes_match_no_password(stored: str, password: str) -> None:
    assert fit([stored], password) == [False]


def test_a_run_without_a_peer_succeeds() -> None:
    assert fit([], "right") == []


def test_the_number_of_hashes_is_bounded_and_the_first_are_tried() -> None:
    stored = [cheap("right", f"salt number {number:04}".encode()) for number in range(MAX_HASHES + 2)]
    assert fit(stored, "right") == [True] * MAX_HASHES + [False] * 2
    assert fit([cheap("wrong")] * 50 + [cheap("right")], "right") == [False] * 50 + [True]


def test_a_hash_can_share_the_salt_of_another() -> None:
    like = cheap("one")
    made = asyncio.run(hash_password("two", like))
    assert same_salt(made, like)
    assert not same_salt(asyncio.run(hash_password("two")), like)
    assert not same_salt(asyncio.run(hash_password("two", UNUSABLE)), like)
    assert fit([made, like], "two") == [True, False]
