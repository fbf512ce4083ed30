"""Types of fields that several slices share, with the limits that the API documents."""

from typing import Annotated

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Text = Annotated[str, Meta(max_length=10_000)]
Email = Annotated[str, Meta(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$", examples=["ada@example.com"])]
Identifier = Annotated[str, Meta(min_length=1, max_length=40)]
Seconds = Annotated[int, Meta(description="Unix seconds.", ge=0, le=253402300799, examples=[1767225600])]


class Record(msgspec.Struct, frozen=True, kw_only=False, rename="camel"):
    """What is stored and shown."""


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What a caller sends. A field that we don't know is an error: a typo must not silently lose data."""
