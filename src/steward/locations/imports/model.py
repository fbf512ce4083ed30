"""A line of an imported file."""

from typing import Annotated

from msgspec import Meta

from steward.kit.domain.fields import ExternalId
from steward.locations.model import NewLocation


class LocationRow(NewLocation, frozen=True):
    """Other systems name a location's parent by their own identifier; it may be in the same file."""

    parent_external_id: Annotated[
        ExternalId | None, Meta(description="The parent's externalId, in place of parentId.")
    ] = None
