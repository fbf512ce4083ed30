"""The refusals, from their one list."""

from scripts.generate.tables import NOTE, table
from steward.kit.domain import problems


def errors() -> str:
    rows = ((str(problem.status), f"`{problem.code}`", problem.when) for problem in problems.ALL)
    return (
        f'{NOTE}# Errors\n\nEvery refusal is `{{"error", "message", "requestId"}}`. 422 adds '
        '`details: [{"field", "message"}]`. Read `error` and `details` in programs; `message` is for people.\n\n'
        + table(("status", "error", "when"), *rows)
    )
