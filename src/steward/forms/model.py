"""Forms: a draft of questions that is published in versions, and the submissions that answer one of these."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from steward.forms.definition import FieldType, FormField, check_fields
from steward.kit.db.constraints import Constraints, Reference
from steward.kit.db.pagination import PageQuery
from steward.kit.domain.fields import Body, Identifier, Name, Record, Seconds, Text
from steward.kit.domain.moves import Move, Moves
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict


class FormStatus(StrEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"
    ARCHIVED = "Archived"


Version = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="The latest published version; 0 before the first.")
]
Fields = Annotated[list[FormField], Meta(max_length=200)]
Answers = Annotated[
    dict[str, Any],
    Meta(
        max_length=500,
        description="By the key of the field. `null` is no answer.",
        examples=[{"exit": "Pass"}],
    ),
]


class Form(Record, frozen=True):
    id: str
    name: str
    description: str | None
    status: FormStatus
    version: Version
    fields: Annotated[list[FormField], Meta(description="The draft of the next version.")]
    created: Seconds
    updated: Seconds


class FormVersion(Record, frozen=True):
    """The questions of one published version, which stay as they are."""

    form_id: str
    version: int
    fields: list[FormField]
    published_by: str | None
    published_at: Seconds


class Submission(Record, frozen=True):
    id: str
    form_id: str
    version: Annotated[int, Meta(description="The version that was answered.")]
    answers: dict[str, Any]
    location_id: str | None
    submitted_by: str | None
    created: Seconds


class NewForm(Body, frozen=True):
    name: Name
    description: Text | None = None
    fields: Fields = []


class FormChanges(Body, frozen=True):
    name: Name | UnsetType = UNSET
    description: Text | UnsetType | None = UNSET
    fields: Fields | UnsetType = UNSET


class NewSubmission(Body, frozen=True):
    answers: Answers
    location_id: Annotated[Identifier | None, Meta(description="Where the questions were answered.")] = None


class FormQuery(PageQuery, frozen=True):
    status: FormStatus | None = None
    updated_after: Seconds | None = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None


class SubmissionQuery(PageQuery, frozen=True):
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    submitted_by: Annotated[Identifier | None, Meta(description="Only those of this user.")] = None


CONSTRAINTS: Constraints = {
    "form_versions_publisher": Reference("publishedBy", "user", "published forms"),
    "form_submissions_version": Reference("formId", "form", "submissions"),
    "form_submissions_location": Reference("locationId", "location", "form submissions"),
    "form_submissions_submitter": Reference("submittedBy", "user", "form submissions"),
}

_OPEN = (FormStatus.DRAFT, FormStatus.PUBLISHED)
MOVES = Moves(
    "form",
    [
        Move("publish", _OPEN, FormStatus.PUBLISHED),
        Move("archive", _OPEN, FormStatus.ARCHIVED),
    ],
)

EXAMPLE = Form(
    id="frm_00064a1b2c3d4e5f60718293a4b5",
    name="Fire exit round",
    description="Every Monday, on every floor.",
    status=FormStatus.PUBLISHED,
    version=1,
    fields=[
        FormField(key="exit", label="The exit is clear", type=FieldType.PASS_FAIL, required=True),
        FormField(key="pressure", label="Pressure (bar)", type=FieldType.NUMBER, min=0, max=25),
    ],
    created=1767225600,
    updated=1767225600,
)


def change(form: Form, changes: FormChanges) -> Form:
    """Changed fields are the draft of the next version; the one that is published stays what it was."""
    if form.status == FormStatus.ARCHIVED:
        raise Conflict("A form that is Archived can't be changed.")
    changed = apply(form, changes)
    check_fields(changed.fields)
    return changed


def published(form: Form) -> Form:
    if all(field.type == FieldType.INSTRUCTION for field in form.fields):
        raise Conflict("A form that asks nothing can't be published; give it a field that takes an answer.")
    return replace(form, version=form.version + 1)


def require_open(status: FormStatus) -> None:
    """Whether people can answer a form of this status."""
    if status == FormStatus.DRAFT:
        raise Conflict("A form that is Draft takes no submissions; publish it first.")
    if status == FormStatus.ARCHIVED:
        raise Conflict("A form that is Archived takes no submissions.")
