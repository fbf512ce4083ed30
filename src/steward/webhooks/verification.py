"""For receivers in Python: whether a request comes from Steward, unchanged and lately.

from steward.webhooks import verify

event = verify(request.body, request.headers, "whsec_…")
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steward.webhooks.signing import PREFIX, SIGNATURE, STANDARD_ID, STANDARD_SIGNATURE, STANDARD_TIMESTAMP


class SignatureError(ValueError):
    """Don't trust this request; the message says why."""


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    tolerance: int = 300,
) -> Any:
    """The event, once its signature and its time are found to be right; raises SignatureError otherwise.

    `body` is the request's body as it came, before anything decoded it. Either family of headers will do:
    `x-service-signature`, or `webhook-id`, `webhook-timestamp` and `webhook-signature`. Several secrets may be given, such as
    the old and the new one. `tolerance` is how many seconds the clocks of both sides may differ, either way.
    """
    raw = body.encode() if isinstance(body, str) else body
    secrets = _usable([secret] if isinstance(secret, str) else secret)
    given = {name.lower(): value for name, value in headers.items()}
    if SIGNATURE in given:
        moment, signatures = _read_ours(given[SIGNATURE])
        signed = f"{moment}.".encode() + raw
        expected = [hmac.digest(one.encode(), signed, hashlib.sha256).hex().encode() for one in secrets]
    elif STANDARD_SIGNATURE in given:
        moment, signatures = _read_standard(given)
        signed = f"{given[STANDARD_ID]}.{moment}.".encode() + raw
        expected = [_standard(one, signed) for one in secrets]
    else:
        raise SignatureError(f"The request has neither {SIGNATURE} nor {STANDARD_SIGNATURE}.")
    _require_match(expected, signatures)
    _require_recent(moment, tolerance)
    return json.loads(raw)


def _usable(secrets: Iterable[str]) -> list[str]:
    """An unset variable is no secret: anyone could sign with an empty one."""
    given = list(secrets)
    if any(not one.strip().removeprefix(PREFIX) for one in given):
        raise ValueError("verify needs a secret, and an empty one is none")
    return given


def _read_ours(header: str) -> tuple[str, list[bytes]]:
    """`t=<seconds>,v1=<hex>[,v1=<hex>]`; other prefixes belong to future schemes."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1:
        raise SignatureError(f"{SIGNATURE} must have one time.")
    return times[0], [value.encode() for name, _, value in parts if name == "v1"]


def _read_standard(headers: Mapping[str, str]) -> tuple[str, list[bytes]]:
    """`v1,<base64>[ v1,<base64>]`"""
    if missing := [name for name in (STANDARD_ID, STANDARD_TIMESTAMP) if name not in headers]:
        raise SignatureError(f"The request lacks {missing[0]}.")
    parts = [part.partition(",") for part in headers[STANDARD_SIGNATURE].split()]
    return headers[STANDARD_TIMESTAMP].strip(), [value.encode() for name, _, value in parts if name == "v1"]


def _standard(secret: str, signed: bytes) -> bytes:
    text = secret.removeprefix(PREFIX)
    try:
        # Some encoders omit the base64 padding.
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise SignatureError(f"The secret is not base64 after {PREFIX}.") from None
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256))


def _require_match(expected: Sequence[bytes], signatures: Sequence[bytes]) -> None:
    # Every pair is compared, each in constant time: the duration reveals nothing about a guess.
    if not sum(hmac.compare_digest(one, other) for one in expected for other in signatures):
        raise SignatureError("No signature fits the body and a secret.")


def _require_recent(moment: str, tolerance: int) -> None:
    if not (moment.isascii() and moment.isdigit()):
        raise SignatureError("The time of the signature is not a whole number of seconds.")
    if abs(time.time() - int(moment)) > tolerance:
        raise SignatureError(f"The signature is more than {tolerance} seconds off; is this clock right?")
