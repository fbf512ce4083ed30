"""A submitted form and its errors."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.domain.problems import ErrorDetail, Invalid, PreconditionFailed, Problem

F = TypeVar("F")
_CHANGED = "Someone changed this while you were editing. Compare and choose."


class SubmittedForm(msgspec.Struct, Generic[F], eq=False):
    """A form as it was sent. Without content while a field is invalid; `errors` has the messages by field.

    `problem` is the message above the form. On pages with several forms, `name` is that of this one.
    """

    sent: Mapping[str, list[str]]
    content: F | None
    errors: dict[str, str]
    problem: str | None = None
    name: str = ""
    # Why the action refused it.
    refused: Problem | None = None

    def value(self, name: str, otherwise: Any = "") -> Any:
        """The value of a field when the form is shown again."""
        return self.sent.get(name, [otherwise])[-1]

    def values(self, name: str) -> list[str]:
        return self.sent.get(name, [])

    def named(self, name: str) -> "SubmittedForm[F]":
        """This form, if it has that name; otherwise an empty one."""
        return self if self.name == name else empty_form()

    def refusal(self) -> Problem:
        """The error of the form as a Problem."""
        return self.refused or Invalid.of(
            ErrorDetail(field, message) for field, message in self.errors.items()
        )

    def refuse(self, problem: Problem) -> None:
        """Errors of fields go to their fields, others above the form."""
        self.refused = problem
        for detail in problem.details:
            self.errors.setdefault(detail.field, detail.message[:1].upper() + detail.message[1:])
        unplaced = [detail for detail in problem.details if detail.field not in self.sent]
        if unplaced or not problem.details:
            self.problem = _CHANGED if isinstance(problem, PreconditionFailed) else problem.message


def empty_form() -> SubmittedForm[Any]:
    return SubmittedForm({}, None, {})
