"""Turns exceptions into problems."""

import asyncpg

from steward.kit.db.constraints import Constraints, Violation, explain
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import DATABASE_AWAY
from steward.kit.domain.problems import InternalError, Invalid, Problem, Unavailable
from steward.kit.http.request import Request
from steward.kit.runtime.log import log


def problem_of(
    request: Request, error: Exception, constraints: Constraints, *, deleting: bool = False
) -> Problem:
    """The problem that a caller gets for an error; unexpected errors are logged and answered with a 500."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, Violation):
        # The forms of the web app can only POST.
        deleting = deleting or request.method == "DELETE" or request.path.endswith("/delete")
        explained = explain(error, constraints, deleting=deleting)
        if explained is not None:
            return explained
    if isinstance(error, asyncpg.DataError):
        return Invalid("", "A value is out of range.")
    if isinstance(error, asyncpg.TransactionRollbackError):
        return Unavailable("Somebody else changed the same things at the same moment; try again.")
    if isinstance(error, DATABASE_AWAY):
        FAULT_LOG.report("requests can't be answered: the database is away", error, request=request.id)
        return Unavailable("The database can't be reached at the moment; try again shortly.")
    log.error("request failed", request=request.id, exc_info=error)
    return InternalError("Something went wrong on our side; tell us the requestId.")
