from msgspec.structs import replace

from steward.kit.events.event_types import Deleted, event_type
from steward.users.model import EXAMPLE, ErasedUser, UserStatus

_SHOWN = "id email name status role_ids external_id metadata archived_at created updated"

CREATED = event_type("user.created", "Person added to the organization.", EXAMPLE, _SHOWN)
UPDATED = event_type(
    "user.updated",
    "Name, address, status or roles of a person modified.",
    replace(EXAMPLE, status=UserStatus.SUSPENDED),
    _SHOWN,
    previous="email name status role_ids external_id metadata archived_at",
    was={"status": UserStatus.ACTIVE},
)
ERASED = event_type(
    "user.erased",
    "Name and e-mail address of a person erased; what names the person stays.",
    ErasedUser(EXAMPLE.id, 1775041320),
    "id erased_at",
)
REMOVED = event_type(
    "user.removed", "Person taken out of the organization.", Deleted(EXAMPLE.id), "id deleted"
)
