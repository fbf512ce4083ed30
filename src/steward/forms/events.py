from functools import partial

from msgspec.structs import replace

from steward.forms.model import EXAMPLE, FormStatus
from steward.kit.events.event_types import event_type, record_events
from steward.kit.security.permissions import Permission

_define = partial(event_type, permission=Permission.FORMS_READ)

CREATED, UPDATED, DELETED = record_events(
    "form", "Form", EXAMPLE, permission=Permission.FORMS_READ, was={"name": "Round"}
)

PUBLISHED = _define(
    "form.published",
    "Form published: from now on it is this version that is filled in.",
    EXAMPLE,
    "id name description status version fields created updated",
    previous="status version",
    was={"version": 0},
)
ARCHIVED = _define(
    "form.archived",
    "Form archived: it can't be filled in any more.",
    replace(EXAMPLE, status=FormStatus.ARCHIVED),
    "id name description status version fields created updated",
    was_status=FormStatus.PUBLISHED,
)
