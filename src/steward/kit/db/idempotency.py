"""A repeated request with the same key acts once and gets the first answer again.

The answer is stored in the transaction of the change, so that there is never one without the other. It is encrypted, because some answers
contain a secret that is shown only once. Erasing a person erases the answers that show them, but not that the request was done.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable

import msgspec

from steward.kit.db.query import Database, query, sql
from steward.kit.domain.problems import Conflict, Gone, Invalid
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption

KEPT_SECONDS = 24 * 3600
MAX_KEY_LENGTH = 255

PURPOSE = "idempotent answer"
_STILL_RUNNING = "A request with this Idempotency-Key is still running."

_LOCK = sql("SELECT pg_try_advisory_xact_lock($1)")
_FIND = sql(
    """SELECT fingerprint, answer, mentions FROM idempotent_answers
       WHERE organization_id = $1 AND subject = $2 AND key = $3 AND created > $4"""
)
# Replaces an expired answer, but not one that another request has stored meanwhile.
_KEEP = sql(
    """INSERT INTO idempotent_answers AS kept (organization_id, subject, key, fingerprint, answer, created, mentions)
       VALUES ($1, $2, $3, $4, $5, $6, $8)
       ON CONFLICT (organization_id, subject, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created,
           mentions = excluded.mentions
       WHERE kept.created <= $7
       RETURNING kept.created"""
)
# Erasing is rare and an organization has the rows of one day, so they are scanned. Identifiers stay, for the refusal.
_FORGET = sql(
    """UPDATE idempotent_answers
       SET answer = NULL, mentions = ARRAY(SELECT m FROM unnest(mentions) m WHERE m = ANY ($2::text[]))
       WHERE organization_id = $1 AND answer IS NOT NULL AND mentions && ($2::text[] || $3::text[])"""
)


class IdempotencyKey(msgspec.Struct, frozen=True):
    """A key belongs to its caller: another caller's answer can't be read with it."""

    organization: str
    subject: str
    key: str


def checked_key(key: str) -> str:
    if not 0 < len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise Invalid("Idempotency-Key", f"must be 1 to {MAX_KEY_LENGTH} printable ASCII characters")
    return key


class Kept(msgspec.Struct, frozen=True):
    """A stored answer; `replayed` if it is that of an earlier request."""

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
                if kept["answer"] is None:
                    raise _erased(kept["mentions"])
                return Kept(self._encryption.decrypt(PURPOSE, kept["answer"]), replayed=True)
            answer = await act(transaction)
            sealed = self._encryption.encrypt(PURPOSE, answer)
            row = (key.organization, key.subject, key.key, fingerprints[0], sealed, now)
            # A process of another version may use another lock: its answer is found here, so that nothing is done twice.
            if await transaction.fetchval(_KEEP, *row, forgotten, mentions(answer)) is None:
                raise Conflict(_STILL_RUNNING)
            return Kept(answer, replayed=False)


_ID = re.compile(rb'"id":"([a-z]{2,4}_[0-9a-z]+)"')
_EMAIL = re.compile(rb'"email":"([^"\\]+)"')


def mentions(answer: bytes) -> list[str]:
    """The records that an answer shows, and a digest of each e-mail address."""
    ids = {found.decode() for found in _ID.findall(answer)}
    return sorted(ids | {_digest(found) for found in _EMAIL.findall(answer)})


def _digest(email: bytes) -> str:
    return f"email:{hashlib.sha256(email.lower()).hexdigest()[:32]}"


def _erased(ids: list[str]) -> Gone:
    about = f" ({', '.join(ids[:3])})" if ids else ""
    return Gone(
        f"This request was carried out and isn't carried out again. Its answer held personal data that has been erased{about}; "
        "read the record for what is left of it."
    )


async def forget_answers(
    db: Database, tenant: TenantId, ids: Iterable[str], emails: Iterable[str] = ()
) -> None:
    """Erases the stored answers that show one of these records or addresses."""
    await db.execute(_FORGET, tenant, list(ids), [_digest(email.encode()) for email in emails])


def _lock_number(key: IdempotencyKey) -> int:
    """The same in every process, also while the secret key is being changed."""
    digest = hashlib.sha256(b"idempotency lock" + msgspec.json.encode(key)).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


@query(
    f"DELETE FROM idempotent_answers WHERE created < $1::bigint - {KEPT_SECONDS}",  # noqa: S608
    across="housekeeping takes every tenant's old answers",
)
async def delete_old_answers(db: Database, now: int) -> None: ...
