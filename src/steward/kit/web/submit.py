"""How a form does its work, or is shown again."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from steward.kit.domain.problems import Conflict, Forbidden, Invalid, PreconditionFailed
from steward.kit.web.page import PageRequest, Redirect, View

F = TypeVar("F")
R = TypeVar("R")

# What somebody can mend by sending the form again in another way.
_MENDABLE = (Conflict, Forbidden, Invalid, PreconditionFailed)


async def submit(
    request: PageRequest[F, Any],
    act: Callable[[F], Awaitable[R]],
    *,
    to: Callable[[R], Redirect | View],
    again: Callable[[int], Awaitable[View]],
    name: str = "",
) -> View | Redirect:
    """Lets a form do its work and leads on; or shows it `again`, with a status and with what is wrong beside its fields."""
    form = request.form
    form.name = name
    if form.content is None and form.errors:
        return await again(422)
    try:
        done = await act(form.content)  # type: ignore[arg-type]
    except Exception as error:
        problem = request.services.explain(error)
        if not isinstance(problem, _MENDABLE):
            raise problem from error
        form.refuse(problem)
        return await again(problem.status)
    return to(done)
