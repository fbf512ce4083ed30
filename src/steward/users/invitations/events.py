from functools import partial

from steward.kit.events.event_types import Deleted, event_type
from steward.kit.security.permissions import Permission
from steward.users.invitations.model import Invitation

_define = partial(event_type, permission=Permission.USERS_READ)

_EXAMPLE = Invitation(
    "inv_00064a1b2c3d4e5f60718293a4b5",
    "grace@example.com",
    "Grace Hopper",
    ["rol_00064a1b2c3d4e5f60718293a4b5"],
    "usr_00064a1b2c3d4e5f60718293a4b5",
    1767225600,
    1767830400,
)
CREATED = _define(
    "invitation.created",
    "Person invited. The link isn't told.",
    _EXAMPLE,
    "id email name role_ids invited_by created expires_at",
)
DELETED = _define(
    "invitation.deleted",
    "Invitation accepted, withdrawn, or replaced by a newer one for the same address.",
    Deleted(_EXAMPLE.id),
    "id deleted",
)
