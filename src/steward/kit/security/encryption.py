"""The deployment's secret key, and what is made from it: encryption at rest and keyed digests.

While the key is being changed there are several: the first seals, and all of them open.
"""

import hashlib
import hmac
import os
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12
_TAG = 16


class WrongKeyError(Exception):
    """The stored value was sealed with another key, or was changed."""


class Encryption:
    """Seals (AES-256-GCM) and digests (HMAC-SHA256), each purpose with a key of its own."""

    def __init__(self, *secret_keys: bytes) -> None:
        self._secret_keys = secret_keys
        self._ciphers: dict[str, tuple[AESGCM, ...]] = {}

    def keys(self, purpose: str) -> tuple[bytes, ...]:
        """One for each secret key, that of the present first."""
        return tuple(hmac.digest(key, purpose.encode(), hashlib.sha256) for key in self._secret_keys)

    def digests(self, purpose: str, data: bytes) -> tuple[bytes, ...]:
        return tuple(hmac.digest(key, data, hashlib.sha256) for key in self.keys(purpose))

    def encrypt(self, purpose: str, plain: bytes) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._ciphers_for(purpose)[0].encrypt(nonce, plain, purpose.encode())

    def decrypt(self, purpose: str, sealed: bytes) -> bytes:
        return self._open(purpose, sealed)[0]

    def is_current(self, purpose: str, sealed: bytes) -> bool:
        """Whether it was sealed by the key of the present; raises WrongKeyError where none of ours opens it."""
        return self._open(purpose, sealed)[1] == 0

    def _open(self, purpose: str, sealed: bytes) -> tuple[bytes, int]:
        """What is in it, and by which of our keys it was sealed."""
        # The library has other errors for what is too short; to us it is changed like any other.
        if len(sealed) < _NONCE + _TAG:
            raise WrongKeyError(purpose)
        for number, cipher in enumerate(self._ciphers_for(purpose)):
            with suppress(InvalidTag):
                return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], purpose.encode()), number
        raise WrongKeyError(purpose)

    def _ciphers_for(self, purpose: str) -> tuple[AESGCM, ...]:
        ciphers = self._ciphers.get(purpose)
        if ciphers is None:
            ciphers = self._ciphers[purpose] = tuple(map(AESGCM, self.keys(purpose)))
        return ciphers
