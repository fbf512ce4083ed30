from steward.forms.submissions.model import EXAMPLE
from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission

SUBMITTED = event_type(
    "form.submitted",
    "Form filled in.",
    EXAMPLE,
    "id form_id version answers location_id submitted_by created",
    permission=Permission.FORMS_READ,
)
