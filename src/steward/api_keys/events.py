"""Events about keys never hold a secret or its stored form."""

from functools import partial

from msgspec.structs import replace

from steward.api_keys.model import EXAMPLE, KeyStatus
from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission

_define = partial(event_type, permission=Permission.API_KEYS_READ)

_SHOWN = "key_id name permissions key_prefix status created created_by expires_at allowed_addresses"

CREATED = _define("apikey.created", "API key created.", EXAMPLE, _SHOWN)
REVOKED = _define(
    "apikey.revoked",
    "API key revoked.",
    replace(EXAMPLE, status=KeyStatus.REVOKED),
    _SHOWN,
    was_status=KeyStatus.ACTIVE,
)
UPDATED = _define(
    "apikey.updated",
    "API key renamed, narrowed, or given another end or other addresses.",
    EXAMPLE,
    _SHOWN,
    previous="name permissions expires_at allowed_addresses",
    was={"permissions": [Permission.ASSETS_READ, Permission.WORK_ORDERS_READ], "expires_at": None},
)
ROTATED = _define(
    "apikey.rotated",
    "API key given another secret.",
    replace(EXAMPLE, old_secret_expires_at=1767312000),
    f"{_SHOWN} old_secret_expires_at",
    previous="key_prefix",
    was={"key_prefix": "svc_live_Zx9w"},
)
