from steward.forms import queries as forms
from steward.forms.api import FORMS
from steward.forms.submissions import actions, queries
from steward.forms.submissions.model import (
    EXAMPLE,
    READS,
    SUBMITS,
    NewSubmission,
    Submission,
    SubmissionQuery,
)
from steward.kit.http.parents import Parent
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route

_SUBMISSIONS = Resource(
    tag="Forms",
    path=f"{FORMS.path}/{{formId}}/submissions",
    id_name="submissionId",
    gives=Submission,
    example=EXAMPLE,
    table=queries.SUBMISSIONS,
    listing=queries.LISTING,
    parent=Parent("formId", forms.FORMS),
    read_permission=READS,
    write_permission=SUBMITS,
)

ROUTES: tuple[Route, ...] = (
    _SUBMISSIONS.list("listFormSubmissions", "List form submissions", query=SubmissionQuery),
    *_SUBMISSIONS.exports("exportFormSubmissions", "form submissions", query=SubmissionQuery),
    _SUBMISSIONS.create(
        actions.create,
        "submitForm",
        "Submit a form",
        description="The answers must fit the latest published version; `details` names everything that doesn't.",
        body=NewSubmission,
        body_example={"answers": {"exit": "Pass", "pressure": 12.5}},
        refusals={409: "The form is a draft or archived."},
    ),
    _SUBMISSIONS.read("readFormSubmission", "Read a form submission"),
)
