from steward.forms import queries
from steward.forms.model import CONSTRAINTS
from steward.forms.submissions.model import CONSTRAINTS as OF_SUBMISSIONS
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Searched, Slice, site_of

SLICE = Slice(
    name="forms",
    tables=("form_submissions", "form_versions", "forms"),
    constraints={**CONSTRAINTS, **OF_SUBMISSIONS},
    site=site_of(
        "steward.forms.api",
        "steward.forms.submissions.api",
        "steward.forms.pages",
        "steward.forms.submissions.pages",
    ),
    menu=(MenuEntry(MenuGroup.RECORDS, 30, "Forms", "/app/forms", "form"),),
    searched=(Searched("Forms", queries.LOOKUP),),
)
