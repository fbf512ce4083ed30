"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record


class FieldType(OpenEnum):
    DATE = "date"
    INSTRUCTION = "instruction"
    LONG_TEXT = "longText"
    MULTI_SELECT = "multiSelect"
    NUMBER = "number"
    PASS_FAIL = "passFail"  # noqa: S105
    RATING = "rating"
    SELECT = "select"
    TEXT = "text"


FieldTypeLike: TypeAlias = (
    FieldType
    | Literal[
        "date", "instruction", "longText", "multiSelect", "number", "passFail", "rating", "select", "text"
    ]
)


class FormField(Model, kw_only=True):
    """One question, or a text between questions (`instruction`)."""

    key: str
    """Unique within the form; names the answer."""
    label: str
    type: FieldType
    required: bool = False
    options: list[str] | None = None
    """For select and multiSelect."""
    min: int | float | None = None
    """For number and rating."""
    max: int | float | None = None
    """For number and rating."""


class FormStatus(OpenEnum):
    ARCHIVED = "Archived"
    DRAFT = "Draft"
    PUBLISHED = "Published"


FormStatusLike: TypeAlias = FormStatus | Literal["Archived", "Draft", "Published"]


class Form(Record, kw_only=True):
    id: str
    name: str
    description: str | None
    status: FormStatus
    version: int
    """The latest published version; 0 before the first."""
    fields: list[FormField]
    """The draft of the next version."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class FormChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    fields: Sequence[FormField | Mapping[str, Any]] | UnsetType | None = UNSET


class FormVersion(Record, kw_only=True):
    """The questions of one published version, which never change."""

    form_id: str
    version: int
    fields: list[FormField]
    published_by: str | None
    published_at: int
    """Unix seconds."""


class FormsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


FormsSortLike: TypeAlias = FormsSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]


class NewForm(Model, kw_only=True):
    name: str
    description: str | UnsetType | None = UNSET
    fields: Sequence[FormField | Mapping[str, Any]] | UnsetType = UNSET


class NewSubmission(Model, kw_only=True):
    answers: Mapping[str, Any]
    """By the key of the field. `null` is no answer."""
    location_id: str | UnsetType | None = UNSET
    """Where the questions were answered."""
    submitted_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class Submission(Record, kw_only=True):
    id: str
    form_id: str
    version: int
    """The version that was answered."""
    answers: dict[str, Any]
    location_id: str | None
    submitted_by: str | None
    created: int
    """Unix seconds."""
