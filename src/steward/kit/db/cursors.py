"""The place where a page of a list ended, which can't be forged or used for another list."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

import msgspec

from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption

_MAC_BYTES = 12


class Cursors:
    """Seals the place where a page ended; bound to the organization, the list and its filters."""

    def __init__(self, encryption: Encryption) -> None:
        self._keys = encryption.keys("page cursor")

    def seal(self, tenant: TenantId, listing: str, filters: Mapping[str, Any], last_id: str) -> str:
        mac = _mac(self._keys[0], _bound(tenant, listing, filters, last_id))
        return base64.urlsafe_b64encode(mac + last_id.encode()).decode()

    def open(
        self,
        tenant: TenantId,
        listing: str,
        filters: Mapping[str, Any],
        cursor: str,
        *,
        field: str = "lastEvaluatedKey",
    ) -> str:
        """`field` is the parameter that the cursor came in."""
        try:
            raw = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
            last_id = raw[_MAC_BYTES:].decode()
        except (binascii.Error, UnicodeError):
            raw, last_id = b"", ""
        bound = _bound(tenant, listing, filters, last_id)
        if not any(hmac.compare_digest(raw[:_MAC_BYTES], _mac(key, bound)) for key in self._keys):
            raise Invalid(field, "is not a cursor of this list with these filters")
        return last_id


def _bound(tenant: TenantId, listing: str, filters: Mapping[str, Any], last_id: str) -> bytes:
    return msgspec.json.encode((tenant, listing, sorted(filters.items()), last_id))


def _mac(key: bytes, bound: bytes) -> bytes:
    return hashlib.blake2b(bound, key=key, digest_size=_MAC_BYTES).digest()
