"""Types of fields that several slices share, with the limits that the API documents."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

# Within `Meta(extra=…)` of a type with a pattern: what it asks for, as the rest of a sentence that begins "must".
MUST = "must"

Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Text = Annotated[str, Meta(max_length=10_000)]
Email = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[^@\s]+@[^@\s]+$",
        extra={MUST: "be an e-mail address, such as ada@example.com"},
        examples=["ada@example.com"],
    ),
]
Identifier = Annotated[str, Meta(min_length=1, max_length=40)]
# The identifier of a record in another system; unique within an organization and kind.
ExternalId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="What another system calls it; unique within the organization and kind.",
        examples=["ERP-0042"],
    ),
]
Metadata = Annotated[
    dict[str, Any],
    Meta(max_length=100, description="Free-form: whatever other systems keep with it. Replaced as a whole."),
]
# Who did something, in bodies that may name another user than the caller.
ActingPerson = Annotated[
    Identifier | None,
    Meta(
        description="A user of the organization; the caller, when absent. Naming another needs `users:act-as`."
    ),
]
Seconds = Annotated[int, Meta(description="Unix seconds.", ge=0, le=253402300799, examples=[1767225600])]
ArchivedAt = Annotated[
    Seconds | None,
    Meta(description="When it was archived; null while it is in sight. Set by archive and restore."),
]


# Of work orders; alert rules and the filters of webhooks name it, too.
class Priority(StrEnum):
    LOW = "Low"
    MEDIUM = "Medium"
    HIGH = "High"
    CRITICAL = "Critical"


class Record(msgspec.Struct, frozen=True, kw_only=False, rename="camel"):
    """A record as it is stored and shown."""

    # Fields that filters of webhooks can match.
    filterable: ClassVar[tuple[str, ...]] = ()
    # The name of filters of webhooks by this record's own identifier, such as assetId.
    filter_name: ClassVar[str | None] = None
    # The field of the parent, if a filter by the parent includes this record.
    filter_parent: ClassVar[str | None] = None


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A request body. An unknown field is an error: a typo must not silently lose data."""

    # Fields of the resource that callers don't set, by their names in the API, and how they are set.
    not_taken: ClassVar[Mapping[str, str]] = {}
    # In changes: what null sets a field to, where null itself isn't a value of the record.
    reset: ClassVar[Mapping[str, Callable[[], Any]]] = {}
