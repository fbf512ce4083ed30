"""Forms: a draft of questions that is published in versions."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import MUST, Body, Name, Record, Seconds, Text
from steward.kit.domain.list_query import Several, SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.permissions import Either, Permission

# People who fill in forms see the published version, not the draft of the next.
READS = Either(Permission.FORMS_READ, Permission.FORMS_SUBMIT, "for published forms")


class FieldType(StrEnum):
    TEXT = "text"
    LONG_TEXT = "longText"
    NUMBER = "number"
    DATE = "date"
    SELECT = "select"
    MULTI_SELECT = "multiSelect"
    PASS_FAIL = "passFail"  # noqa: S105 (an inspection's word)
    RATING = "rating"
    INSTRUCTION = "instruction"


class FormStatus(StrEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"
    ARCHIVED = "Archived"


# Beyond this a number would not come back from the database as it was sent.
MAX_NUMBER = 10**15

Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=60,
        pattern=r"^[A-Za-z0-9_-]+$",
        extra={MUST: "have no other characters than letters, digits, - and _"},
        examples=["pressure"],
    ),
]
Label = Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]
Option = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Bound = (
    Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
    | Annotated[float, Meta(ge=-float(MAX_NUMBER), le=float(MAX_NUMBER))]
)
Version = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="The latest published version; 0 before the first.")
]


class FormField(Body, frozen=True):
    """One question, or a text between questions (`instruction`)."""

    key: Annotated[Key, Meta(description="Unique within the form; names the answer.")]
    label: Label
    type: FieldType
    required: bool = False
    options: Annotated[
        Annotated[list[Option], Meta(max_length=200)] | None, Meta(description="For select and multiSelect.")
    ] = None
    min: Annotated[Bound | None, Meta(description="For number and rating.")] = None
    max: Annotated[Bound | None, Meta(description="For number and rating.")] = None


Fields = Annotated[list[FormField], Meta(max_length=200)]


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
    """The questions of one published version, which never change."""

    form_id: str
    version: int
    fields: list[FormField]
    published_by: str | None
    published_at: Seconds


class NewForm(Body, frozen=True):
    name: Name
    description: Text | None = None
    fields: Fields = []


@changes_of(NewForm)
class FormChanges(Body, frozen=True):
    pass


class FormQuery(SortedPageQuery, frozen=True):
    status: Several[FormStatus] | None = None
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None


CONSTRAINTS: Constraints = {
    "form_versions_publisher": Reference("publishedBy", "user", "published forms"),
}

EXAMPLE = example_of(
    Form,
    id="frm_00064a1b2c3d4e5f60718293a4b5",
    name="Fire exit round",
    description="Every Monday, on every floor.",
    status=FormStatus.PUBLISHED,
    version=1,
    fields=[
        FormField(key="exit", label="The exit is clear", type=FieldType.PASS_FAIL, required=True),
        FormField(key="pressure", label="Pressure (bar)", type=FieldType.NUMBER, min=0, max=25),
    ],
)
