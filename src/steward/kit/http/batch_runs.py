"""How the items of a batch are run: each by itself, or all in one transaction."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from steward.kit.db.pool import DATABASE_AWAY, Database, Transaction
from steward.kit.domain.problems import FailedDependency, Problem, Unavailable
from steward.kit.http.response import Response
from steward.kit.http.route import Call

# Does what an item asks for, with the given database.
Step = Callable[[Database], Awaitable[Response]]
Outcome = Response | Problem


class _Refused(Exception):  # noqa: N818 (ends an atomic batch)
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


async def run_each(call: Call[Any, Any], steps: Sequence[Step | Problem]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    away: Problem | None = None
    for step in steps:
        if isinstance(step, Problem):
            outcomes.append(step)
        elif away is not None:
            outcomes.append(away)
        else:
            outcome = await _tried(call, step)
            outcomes.append(outcome)
            away = outcome if isinstance(outcome, _Away) else None
    return outcomes


async def run_all(call: Call[Any, Any], steps: Sequence[Step | Problem]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    refused = {index: step for index, step in enumerate(steps) if isinstance(step, Problem)}
    if not refused:
        try:
            await _run_together(call, steps, outcomes)
        except _Refused as error:
            refused = {len(outcomes): error.problem}
        else:
            return outcomes
    others = FailedDependency(f"Nothing of the batch was done, since item {min(refused)} was refused.")
    return [refused.get(index, others) for index in range(len(steps))]


async def _run_together(call: Call[Any, Any], steps: Sequence[Any], outcomes: list[Outcome]) -> None:
    async with call.db.transaction() as tx, tx.attempt() as db:
        for step in steps:
            try:
                outcome = await step(db)
            except DATABASE_AWAY:
                raise
            except Exception as error:
                raise _Refused(call.explain(error)) from error
            outcomes.append(outcome)


async def _tried(call: Call[Any, Any], step: Step) -> Outcome:
    try:
        async with call.db.attempt() as db:
            return await step(db)
    except DATABASE_AWAY as error:
        if isinstance(call.db, Transaction):
            raise
        return _Away(call.explain(error).message)
    except Exception as error:  # noqa: BLE001 (whatever went wrong is the result of this item)
        return call.explain(error).without_frames()


class _Away(Unavailable):
    """The database went away: what was done until then stays done, and the rest isn't tried."""
