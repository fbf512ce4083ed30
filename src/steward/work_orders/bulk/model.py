from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Body, Identifier
from steward.work_orders.model import Reason

MOST = 100


class BulkForm(Body, frozen=True):
    """What is to be done to the chosen rows of a list: hand them to somebody, or move them."""

    ids: Annotated[list[Identifier], Meta(min_length=1, max_length=MOST)]
    action: Literal["assign", "start", "hold", "resume", "complete", "cancel", "reopen"]
    assignee_id: Identifier | None = None
    reason: Reason | None = None


class BulkOutcome(msgspec.Struct, frozen=True):
    done: int
    # (identifier, why not)
    refused: list[tuple[str, str]]
