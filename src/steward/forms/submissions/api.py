from steward.forms.api import FORMS
from steward.forms.submissions import actions, queries
from steward.forms.submissions.model import EXAMPLE, READS, SUBMITS, NewSubmission, SubmissionQuery
from steward.kit.http.resource import Resource

_SUBMISSIONS = Resource(
    noun="form submission",
    path=f"{FORMS.path}{FORMS.item}/submissions",
    example=EXAMPLE,
    table=queries.SUBMISSIONS,
    listing=queries.LISTING,
    query=SubmissionQuery,
    parent=FORMS,
    read_permission=READS,
    write_permission=SUBMITS,
)

ROUTES = (
    *_SUBMISSIONS.reads(),
    _SUBMISSIONS.create(
        actions.create,
        NewSubmission,
        summary="Submit a form",
        description="The answers must fit the latest published version; `details` names everything that doesn't.",
        body_example={"answers": {"exit": "Pass", "pressure": 12.5}},
        refusals={409: "The form is a draft or archived."},
    ),
)
