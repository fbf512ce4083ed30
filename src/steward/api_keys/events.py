"""What is told of keys never holds a secret, nor what one is stored as."""

from msgspec.structs import replace

from steward.api_keys.model import EXAMPLE, KeyStatus
from steward.kit.events.event_types import event_type

_SHOWN = "key_id name permissions key_prefix status created created_by"

CREATED = event_type("apikey.created", "API key created.", EXAMPLE, _SHOWN)
REVOKED = event_type(
    "apikey.revoked",
    "API key revoked.",
    replace(EXAMPLE, status=KeyStatus.REVOKED),
    _SHOWN,
    previous="status",
    was={"status": KeyStatus.ACTIVE},
)
