"""A request that is sent again with the same key gets the first answer again, and acts once.

The answer is stored in the transaction of its effect, so that there is never one without the other. It is sealed,
because some answers carry a secret that is shown only once.
"""

import hashlib
from collections.abc import Awaitable, Callable

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.domain.problems import Conflict, Invalid
from steward.kit.security.encryption import Encryption

KEPT_SECONDS = 24 * 3600
MAX_KEY_LENGTH = 255

PURPOSE = "idempotent answer"
_STILL_RUNNING = "A request with this Idempotency-Key is still running."

_LOCK = sql("SELECT pg_try_advisory_xact_lock($1)")
_FIND = sql(
    """SELECT fingerprint, answer FROM idempotent_answers
       WHERE organization_id = $1 AND subject = $2 AND key = $3 AND created > $4"""
)
# One that is kept no more gives way; one that somebody else has kept in the meantime doesn't.
_KEEP = sql(
    """INSERT INTO idempotent_answers AS kept (organization_id, subject, key, fingerprint, answer, created)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (organization_id, subject, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created
       WHERE kept.created <= $7
       RETURNING kept.created"""
)

_DELETE_OLD = sql(
    "DELETE FROM idempotent_answers WHERE created < $1",
    across="housekeeping takes every tenant's old answers",
)


class IdempotencyKey(msgspec.Struct, frozen=True):
    """Where an answer is kept: a key is the caller's own, nobody else's answer can be had with it."""

    organization: str
    subject: str
    key: str


def checked_key(key: str) -> str:
    if not 0 < len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise Invalid("Idempotency-Key", f"must be 1 to {MAX_KEY_LENGTH} printable ASCII characters")
    return key


class Kept(msgspec.Struct, frozen=True):
    """An answer as it was kept; `replayed` when it is that of an earlier request."""

    answer: bytes
    replayed: bool


class Idempotency:
    def __init__(self, encryption: Encryption) -> None:
        self._encryption = encryption

    async def once(
        self,
        db: Database,
        key: IdempotencyKey,
        request: bytes,
        act: Callable[[Database], Awaitable[bytes]],
        *,
        now: int,
    ) -> Kept:
        """`request` is everything that makes two requests the same one, and `act` gives the answer to keep."""
        fingerprints = self._encryption.digests("idempotent request", request)
        async with db.transaction() as transaction:
            if not await transaction.fetchval(_LOCK, _lock_number(key)):
                raise Conflict(_STILL_RUNNING)
            forgotten = now - KEPT_SECONDS
            kept = await transaction.fetchrow(_FIND, key.organization, key.subject, key.key, forgotten)
            if kept is not None:
                if kept["fingerprint"] not in fingerprints:
                    raise Invalid("Idempotency-Key", "was used with another request before")
                return Kept(self._encryption.decrypt(PURPOSE, kept["answer"]), replayed=True)
            answer = await act(transaction)
            sealed = self._encryption.encrypt(PURPOSE, answer)
            row = (key.organization, key.subject, key.key, fingerprints[0], sealed, now)
            # A process of another version may have another lock: what it has kept meanwhile is found here, and nothing is
            # done twice.
            if await transaction.fetchval(_KEEP, *row, forgotten) is None:
                raise Conflict(_STILL_RUNNING)
            return Kept(answer, replayed=False)


def _lock_number(key: IdempotencyKey) -> int:
    """The same in every process, also while the secret key is being changed."""
    digest = hashlib.sha256(b"idempotency lock" + msgspec.json.encode(key)).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


async def forget_old_answers(db: Database, now: int) -> None:
    await db.execute(_DELETE_OLD, now - KEPT_SECONDS)
