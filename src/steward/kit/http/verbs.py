"""What the verbs of a resource look like. Actions know nothing of HTTP: a body is a Struct, a header a Precondition.

`now` is the moment of the request, taken once at the edge.
"""

from collections.abc import Awaitable
from typing import Any, Protocol, TypeVar

from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller

B_contra = TypeVar("B_contra", contravariant=True)


class CreateVerb(Protocol[B_contra]):
    def __call__(self, db: Database, who: Caller, body: B_contra, /, *, now: int) -> Awaitable[Any]: ...


class CreateWithinVerb(Protocol[B_contra]):
    def __call__(
        self, db: Database, who: Caller, parent_id: str, body: B_contra, /, *, now: int
    ) -> Awaitable[Any]: ...


class ChangeVerb(Protocol[B_contra]):
    def __call__(
        self, db: Database, who: Caller, id: str, body: B_contra, /, *, precondition: Precondition, now: int
    ) -> Awaitable[Any]: ...


class ChangeWithinVerb(Protocol[B_contra]):
    def __call__(
        self,
        db: Database,
        who: Caller,
        parent_id: str,
        id: str,
        body: B_contra,
        /,
        *,
        precondition: Precondition,
        now: int,
    ) -> Awaitable[Any]: ...


class MoveVerb(Protocol):
    def __call__(
        self, db: Database, who: Caller, id: str, /, *, precondition: Precondition, now: int
    ) -> Awaitable[Any]: ...


class MoveWithinVerb(Protocol):
    def __call__(
        self, db: Database, who: Caller, parent_id: str, id: str, /, *, precondition: Precondition, now: int
    ) -> Awaitable[Any]: ...


# Deleting takes the same as a move without a body; what it gives back is shown to nobody.
DeleteVerb = MoveVerb
DeleteWithinVerb = MoveWithinVerb
