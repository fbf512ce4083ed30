from functools import partial

from msgspec.structs import replace

from steward.kit.events.event_types import Deleted, event_type
from steward.kit.security.permissions import Permission
from steward.users.model import EXAMPLE, ErasedUser, UserStatus

_define = partial(event_type, permission=Permission.USERS_READ)

_SHOWN = "id email name status role_ids external_id metadata archived_at created updated"

CREATED = _define("user.created", "Person added to the organization.", EXAMPLE, _SHOWN)
UPDATED = _define(
    "user.updated",
    "Name, address, status or roles of a person modified.",
    replace(EXAMPLE, status=UserStatus.SUSPENDED),
    _SHOWN,
    previous="email name status role_ids external_id metadata archived_at",
    was={"status": UserStatus.ACTIVE},
)
ERASED = _define(
    "user.erased",
    "Name and e-mail address of a person erased; what names the person stays.",
    ErasedUser(EXAMPLE.id, 1775041320),
    "id erased_at",
)
REMOVED = _define("user.removed", "Person taken out of the organization.", Deleted(EXAMPLE.id), "id deleted")
