"""What the verbs of a resource look like. Actions know nothing of HTTP: a body is a Struct, a header a Precondition."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from steward.kit.domain.csv_rows import ImportReport
from steward.kit.records.context import Context, Target

B = TypeVar("B")

CreateVerb = Callable[[Context, B], Awaitable[Any]]
ChangeVerb = Callable[[Target, B], Awaitable[Any]]
# Also for deleting, where the result isn't shown.
MoveVerb = Callable[[Target], Awaitable[Any]]


class ImportVerb(Protocol):
    def __call__(self, ctx: Context, text: str, /, *, dry_run: bool) -> Awaitable[ImportReport]: ...
