"""A file that only a passphrase opens, written and read in one pass with little memory.

After the preamble come chunks of compressed data, each sealed by AES-256-GCM. A chunk's nonce is its number and whether it is the
last, and the preamble goes into each: chunks that were changed, left out, put in another order or taken from another file don't
open, and a file without its end is noticed.
"""

import hashlib
import hmac
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
import zstandard
from argon2 import low_level
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from steward.operations.backup.model import FORMAT, BackupError, KeyDerivation, Preamble
from steward.operations.backup.new_file import named

_MAGIC = b"steward backup\n"
_LENGTH = struct.Struct(">I")
_CHUNK = struct.Struct(">?I")
_CHUNK_BYTES = 1 << 20
_TAG_BYTES = 16
_MAX_PREAMBLE = 1 << 16
# With less, Argon2 makes no key (RFC 9106).
_MIN_SALT = 8
_MIN_KIB_PER_LANE = 8
# Of a file that asks for more, reading it would be the attack.
_MAX_MEMORY_KIB = 1 << 20
_MAX_TIME_COST = 100
_MAX_LANES = 64

_DAMAGED = "is damaged: a part of it was changed or is missing"


def derive_key(passphrase: str, derivation: KeyDerivation) -> bytes:
    return low_level.hash_secret_raw(
        passphrase.encode(),
        derivation.salt,
        derivation.time_cost,
        derivation.memory_kib,
        derivation.lanes,
        32,
        low_level.Type.ID,
    )


def _is_derivable(derivation: KeyDerivation) -> bool:
    return (
        len(derivation.salt) >= _MIN_SALT
        and 1 <= derivation.time_cost <= _MAX_TIME_COST
        and 1 <= derivation.lanes <= _MAX_LANES
        and _MIN_KIB_PER_LANE * derivation.lanes <= derivation.memory_kib <= _MAX_MEMORY_KIB
    )


def passphrase_check(key: bytes) -> bytes:
    return hmac.digest(key, b"steward backup", hashlib.sha256)[:16]


class SealedWriter:
    """Takes what is to be written piece by piece; `close` seals the end."""

    def __init__(self, path: Path, file: IO[bytes], preamble: Preamble, key: bytes) -> None:
        self.size = 0
        self._path, self._file = path, file
        self._cipher = AESGCM(key)
        self._compressor = zstandard.ZstdCompressor(level=3).compressobj()
        self._waiting = bytearray()
        self._number = 0
        encoded = msgspec.json.encode(preamble)
        self._bound = hashlib.sha256(encoded).digest()
        self._write(_MAGIC + _LENGTH.pack(len(encoded)) + encoded)

    def write(self, data: bytes) -> None:
        self._waiting += self._compressor.compress(data)
        while len(self._waiting) > _CHUNK_BYTES:
            self._seal(bytes(self._waiting[:_CHUNK_BYTES]), last=False)
            del self._waiting[:_CHUNK_BYTES]

    def close(self) -> None:
        self._waiting += self._compressor.flush()
        while len(self._waiting) > _CHUNK_BYTES:
            self._seal(bytes(self._waiting[:_CHUNK_BYTES]), last=False)
            del self._waiting[:_CHUNK_BYTES]
        self._seal(bytes(self._waiting), last=True)
        with named(self._path, "written"):
            self._file.flush()
            os.fsync(self._file.fileno())

    def _seal(self, plain: bytes, *, last: bool) -> None:
        sealed = self._cipher.encrypt(_nonce(self._number, last=last), plain, self._bound)
        self._number += 1
        self._write(_CHUNK.pack(last, len(sealed)) + sealed)

    def _write(self, data: bytes) -> None:
        with named(self._path, "written"):
            self._file.write(data)
        self.size += len(data)


class SealedReader:
    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.size = 0
        self._path, self._file = path, file
        if self._read(len(_MAGIC)) != _MAGIC:
            raise BackupError(f"{path} is no backup of Steward")
        self._cipher: AESGCM | None = None
        encoded = self._exactly(self._length(_MAX_PREAMBLE))
        self._bound = hashlib.sha256(encoded).digest()
        try:
            self.preamble = msgspec.json.decode(encoded, type=Preamble)
        except msgspec.DecodeError:
            raise self._damaged() from None
        if self.preamble.format != FORMAT:
            raise BackupError(
                f"{path} was written by Steward {self.preamble.steward} in a form that this version doesn't know"
            )

    def open(self, passphrase: str) -> None:
        derivation = self.preamble.key_derivation
        if not _is_derivable(derivation):
            raise self._damaged()
        key = derive_key(passphrase, derivation)
        if not hmac.compare_digest(passphrase_check(key), self.preamble.passphrase_check):
            raise BackupError(f"this is not the passphrase of {self._path}")
        self._cipher = AESGCM(key)

    def pieces(self) -> Iterator[bytes]:
        """What was written, in pieces of any size. Nothing of a chunk is given out before it is known to be whole."""
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        number, last = 0, False
        while not last:
            last, length = _CHUNK.unpack(self._exactly(_CHUNK.size))
            if length > _CHUNK_BYTES + _TAG_BYTES:
                raise self._damaged()
            plain = self._open_chunk(self._exactly(length), _nonce(number, last=last))
            number += 1
            if plain and (data := decompressor.decompress(plain)):
                yield data
        if self._read(1):
            raise self._damaged()

    def _open_chunk(self, sealed: bytes, nonce: bytes) -> bytes:
        if self._cipher is None:
            raise RuntimeError("open the file with its passphrase first")
        try:
            return self._cipher.decrypt(nonce, sealed, self._bound)
        except InvalidTag:
            raise self._damaged() from None

    def _length(self, most: int) -> int:
        length: int = _LENGTH.unpack(self._exactly(_LENGTH.size))[0]
        if length > most:
            raise self._damaged()
        return length

    def _exactly(self, count: int) -> bytes:
        data = self._read(count)
        if len(data) < count:
            raise BackupError(f"{self._path} is not whole: it ends too early")
        return data

    def _read(self, count: int) -> bytes:
        with named(self._path, "read"):
            data = self._file.read(count)
        self.size += len(data)
        return data

    def _damaged(self) -> BackupError:
        return BackupError(f"{self._path} {_DAMAGED}")


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\x01" if last else b"\x00")
