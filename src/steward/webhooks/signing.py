"""Signatures, which prove to a receiver that a delivery comes from us unchanged, and their secrets.

Every delivery is signed in two ways with the same secret: our own header, which verifiers of the Stripe kind
understand, and the three of Standard Webhooks. Between a rotation and the end of its grace, each carries one
signature per secret.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Iterable, Sequence

import msgspec

from steward.kit.security.encryption import Encryption

PREFIX = "whsec_"
SIGNATURE = "x-service-signature"
STANDARD_ID = "webhook-id"
STANDARD_TIMESTAMP = "webhook-timestamp"
STANDARD_SIGNATURE = "webhook-signature"
# Who caused the event, such as `Key:key_…`: a system that writes as well recognizes its own changes.
ACTOR = "webhook-actor"

PURPOSE = "webhook secret"
_RANDOM_BYTES = 32


class Secret(msgspec.Struct, frozen=True):
    """`until` is the millisecond in which it stops to sign; None for the newest one."""

    secret: str
    until: int | None = None


_decode = msgspec.json.Decoder(tuple[Secret, ...]).decode


def new_secret() -> str:
    return PREFIX + base64.b64encode(os.urandom(_RANDOM_BYTES)).decode()


def seal_secrets(encryption: Encryption, secrets: Sequence[Secret]) -> bytes:
    """As stored, newest first."""
    return encryption.encrypt(PURPOSE, msgspec.json.encode(secrets))


def open_secrets(encryption: Encryption, sealed: bytes) -> tuple[Secret, ...]:
    """Newest first; raises WrongKeyError if they were sealed with another key."""
    return _decode(encryption.decrypt(PURPOSE, sealed))


def live_secrets(secrets: Iterable[Secret], now_ms: int) -> tuple[str, ...]:
    """Those that sign now, newest first."""
    return tuple(one.secret for one in secrets if one.until is None or now_ms < one.until)


def plain_headers(event_id: str, actor: str | None) -> dict[str, str]:
    """The headers that are the same with each attempt and reveal nothing of a secret."""
    headers = {"Content-Type": "application/json", "User-Agent": "Steward-Webhooks/1", STANDARD_ID: event_id}
    return headers if actor is None else {**headers, ACTOR: actor}


def sign(secrets: Sequence[str], event_id: str, body: bytes, now: int) -> dict[str, str]:
    """The headers for exactly these bytes, at this Unix second."""
    ours = f"{now}.".encode() + body
    standard = f"{event_id}.{now}.".encode() + body
    versions = [f"v1={hmac.digest(secret.encode(), ours, hashlib.sha256).hex()}" for secret in secrets]
    return {
        SIGNATURE: ",".join([f"t={now}", *versions]),
        STANDARD_ID: event_id,
        STANDARD_TIMESTAMP: str(now),
        STANDARD_SIGNATURE: " ".join(f"v1,{_standard(secret, standard)}" for secret in secrets),
    }


def _standard(secret: str, signed: bytes) -> str:
    digest = hmac.digest(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256)
    return base64.b64encode(digest).decode()
