"""Submitting a form: its action succeeds, or the form is shown again with the errors."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from steward.kit.domain.problems import Conflict, Forbidden, Invalid, PreconditionFailed
from steward.kit.web.page import PageRequest, Redirect, View

F = TypeVar("F")
R = TypeVar("R")

# What the caller can correct in the form.
_CORRECTABLE = (Conflict, Forbidden, Invalid, PreconditionFailed)


async def submit(
    request: PageRequest[F, Any],
    act: Callable[[F], Awaitable[R]],
    *,
    to: Callable[[R], Redirect | View],
    again: Callable[[int], Awaitable[View]],
    name: str = "",
) -> View | Redirect:
    """Runs the action and redirects; or shows the form `again`, with a status and the errors beside its fields."""
    form = request.form
    form.name = name
    if form.content is None and form.errors:
        return await again(422)
    try:
        done = await act(form.content)  # type: ignore[arg-type]
    except Exception as error:
        problem = request.explain(error)
        if not isinstance(problem, _CORRECTABLE):
            raise problem from error
        form.refuse(problem)
        return await again(problem.status)
    return to(done)
