"""The deployment's one secret key, and what is made from it: encryption at rest and keyed digests."""

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12


class WrongKeyError(Exception):
    """The stored value was sealed with another key, or was changed."""


class Encryption:
    """Seals (AES-256-GCM) and digests (HMAC-SHA256), each purpose with a key of its own."""

    def __init__(self, secret_key: bytes) -> None:
        self._secret_key = secret_key
        self._ciphers: dict[str, AESGCM] = {}

    def key(self, purpose: str) -> bytes:
        return hmac.digest(self._secret_key, purpose.encode(), hashlib.sha256)

    def digest(self, purpose: str, data: bytes) -> bytes:
        return hmac.digest(self.key(purpose), data, hashlib.sha256)

    def encrypt(self, purpose: str, plain: bytes) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher(purpose).encrypt(nonce, plain, purpose.encode())

    def decrypt(self, purpose: str, sealed: bytes) -> bytes:
        try:
            return self._cipher(purpose).decrypt(sealed[:_NONCE], sealed[_NONCE:], purpose.encode())
        except InvalidTag:
            raise WrongKeyError(purpose) from None

    def _cipher(self, purpose: str) -> AESGCM:
        cipher = self._ciphers.get(purpose)
        if cipher is None:
            cipher = self._ciphers[purpose] = AESGCM(self.key(purpose))
        return cipher
