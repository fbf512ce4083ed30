from steward.forms.model import EXAMPLE
from steward.kit.events.event_types import event_type

PUBLISHED = event_type(
    "form.published",
    "Form published: from now on it is this version that is filled in.",
    EXAMPLE,
    "id name description status version fields created updated",
    previous="status version",
    was={"version": 0},
)
