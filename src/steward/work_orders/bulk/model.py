from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Body, Identifier
from steward.work_orders.model import Reason

MOST = 100


class BulkForm(Body, frozen=True):
    """The action for the selected rows of a list: assign them, or move them."""

    ids: Annotated[list[Identifier], Meta(min_length=1, max_length=MOST)]
    action: Literal["assign", "start", "hold", "resume", "complete", "cancel", "reopen"]
    assignee_id: Identifier | None = None
    reason: Reason | None = None


class BulkOutcome(msgspec.Struct, frozen=True):
    done: int
    # (identifier, why not)
    refused: list[tuple[str, str]]
