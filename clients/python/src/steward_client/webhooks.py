"""For receivers of webhooks: whether a request comes from Steward, unchanged and lately. Needs nothing but Python.

from steward_client.webhooks import InvalidSignature, verify

event = verify(request.body, request.headers, "whsec_…")
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

PREFIX = "whsec_"
SIGNATURE = "x-service-signature"
STANDARD_ID = "webhook-id"
STANDARD_TIMESTAMP = "webhook-timestamp"
STANDARD_SIGNATURE = "webhook-signature"


class InvalidSignature(ValueError):  # noqa: N818  the name that everybody has for it
    """Don't trust this request; the message says why."""


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance: int = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """The event, once its signature and its time are found to be right; raises InvalidSignature otherwise.

    `body` is the request's body as it came, before anything decoded it. Either family of headers will do:
    `x-service-signature`, or `webhook-id`, `webhook-timestamp` and `webhook-signature`. Several secrets may be given, such
    as the old and the new one. `tolerance` is how many seconds the clocks of both sides may differ, either way.
    """
    raw = body.encode() if isinstance(body, str) else bytes(body)
    secrets = _usable([secret] if isinstance(secret, str) else secret)
    given = {name.lower(): value for name, value in headers.items()}
    if SIGNATURE in given:
        moment, signatures = _read_ours(given[SIGNATURE])
        expected = [_ours(one, moment, raw) for one in secrets]
    elif STANDARD_SIGNATURE in given:
        moment, signatures = _read_standard(given)
        signed = f"{given[STANDARD_ID]}.{moment}.".encode() + raw
        expected = [_standard(one, signed) for one in secrets]
    else:
        raise InvalidSignature(f"The request has neither {SIGNATURE} nor {STANDARD_SIGNATURE}.")
    if not _any_equal(expected, signatures):
        raise InvalidSignature("No signature was made with a secret that we have.")
    _require_recent(moment, tolerance, time.time() if now is None else now)
    return _event(raw)


def _usable(secrets: Iterable[str]) -> list[str]:
    """A variable that isn't set is no secret: anybody could sign with an empty one."""
    given = list(secrets)
    if any(not one.strip().removeprefix(PREFIX) for one in given):
        raise ValueError("verify needs a secret, and an empty one is none")
    return given


def _read_ours(header: str) -> tuple[str, list[bytes]]:
    """`t=<seconds>,v1=<hex>[,v1=<hex>]`; what begins with anything else is of a scheme that is yet to come."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1:
        raise InvalidSignature(f"{SIGNATURE} must have one time.")
    return times[0], [value.encode() for name, _, value in parts if name == "v1"]


def _read_standard(headers: Mapping[str, str]) -> tuple[str, list[bytes]]:
    """`v1,<base64>[ v1,<base64>]`"""
    if missing := [name for name in (STANDARD_ID, STANDARD_TIMESTAMP) if name not in headers]:
        raise InvalidSignature(f"The request lacks {missing[0]}.")
    parts = [part.partition(",") for part in headers[STANDARD_SIGNATURE].split()]
    return headers[STANDARD_TIMESTAMP].strip(), [value.encode() for name, _, value in parts if name == "v1"]


def _ours(secret: str, moment: str, body: bytes) -> bytes:
    return hmac.digest(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hex().encode()


def _standard(secret: str, signed: bytes) -> bytes:
    text = secret.removeprefix(PREFIX)
    try:
        # Some write base64 without its padding.
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise ValueError("The secret is not one of Steward's: what follows whsec_ is not base64.") from None
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256))


def _any_equal(expected: list[bytes], signatures: list[bytes]) -> bool:
    """Looks at all of them, so that the time it takes tells nothing."""
    return sum(hmac.compare_digest(ours, theirs) for ours in expected for theirs in signatures) > 0


def _require_recent(moment: str, tolerance: int, now: float) -> None:
    if not (moment.isascii() and moment.isdecimal()):
        raise InvalidSignature("The time is not in Unix seconds.")
    if abs(now - int(moment)) > tolerance:
        raise InvalidSignature(f"The request was signed more than {tolerance} seconds away from now.")


def _event(raw: bytes) -> dict[str, Any]:
    event = json.loads(raw)
    if not isinstance(event, dict):
        raise InvalidSignature("The body is signed, and yet no event.")
    return event
