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
        self._key = encryption.key("page cursor")

    def seal(self, tenant: TenantId, listing: str, filters: Mapping[str, Any], last_id: str) -> str:
        mac = self._mac(tenant, listing, filters, last_id)
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
        if not hmac.compare_digest(raw[:_MAC_BYTES], self._mac(tenant, listing, filters, last_id)):
            raise Invalid(field, "is not a cursor of this list with these filters")
        return last_id

    def _mac(self, tenant: TenantId, listing: str, filters: Mapping[str, Any], last_id: str) -> bytes:
        bound = msgspec.json.encode((tenant, listing, sorted(filters.items()), last_id))
        return hashlib.blake2b(bound, key=self._key, digest_size=_MAC_BYTES).digest()
