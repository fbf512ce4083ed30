"""Submissions: answers to one version of a form."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from steward.forms import model as forms
from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import ActingPerson, Body, Identifier, Record, Seconds
from steward.kit.domain.list_query import PageQuery, Several
from steward.kit.security.permissions import Either, Permission

READS = Either(Permission.FORMS_READ, Permission.FORMS_SUBMIT)
SUBMITS = Either(Permission.FORMS_WRITE, Permission.FORMS_SUBMIT, "")

Answers = Annotated[
    dict[str, Any],
    Meta(
        max_length=500,
        description="By the key of the field. `null` is no answer.",
        examples=[{"exit": "Pass"}],
    ),
]


class Submission(Record, frozen=True):
    filterable: ClassVar[tuple[str, ...]] = ("location_id",)

    id: str
    form_id: str
    version: Annotated[int, Meta(description="The version that was answered.")]
    answers: dict[str, Any]
    location_id: str | None
    submitted_by: str | None
    created: Seconds


class NewSubmission(Body, frozen=True):
    answers: Answers
    location_id: Annotated[Identifier | None, Meta(description="Where the questions were answered.")] = None
    submitted_by: ActingPerson = None


class SubmissionQuery(PageQuery, frozen=True):
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    submitted_by: Annotated[Several[Identifier] | None, Meta(description="Only those of this user.")] = None


CONSTRAINTS: Constraints = {
    "form_submissions_version": Reference("formId", "form", "submissions"),
    "form_submissions_location": Reference("locationId", "location", "form submissions"),
    "form_submissions_submitter": Reference("submittedBy", "user", "form submissions"),
}

EXAMPLE = Submission(
    id="fsb_00064a1b2c3d4e5f60718293a4b5",
    form_id=forms.EXAMPLE.id,
    version=1,
    answers={"exit": "Pass", "pressure": 12.5},
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    submitted_by="usr_00064a1b2c3d4e5f60718293a4b5",
    created=1767225600,
)
