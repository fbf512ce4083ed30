"""What was sent with a form, and what is wrong with it."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from steward.kit.domain.problems import ErrorDetail, Invalid, Problem

F = TypeVar("F")


class SubmittedForm(Generic[F]):
    """A form as it was sent. It has no content while a field is wrong; `errors` tells which one, and how.

    `problem` is what is wrong with all of it. On pages with several forms, `name` tells which one this is.
    """

    def __init__(self, sent: Mapping[str, list[str]], content: F | None, errors: dict[str, str]) -> None:
        self.sent = sent
        self.content = content
        self.errors = errors
        self.problem: str | None = None
        self._refused: Problem | None = None
        self.name = ""

    def value(self, name: str, otherwise: Any = "") -> Any:
        """What to fill a field with when the form is shown again."""
        return self.sent.get(name, [otherwise])[-1]

    def values(self, name: str) -> list[str]:
        return self.sent.get(name, [])

    def named(self, name: str) -> "SubmittedForm[F]":
        """This form, if it is the one of that name; otherwise one that nobody has filled in yet."""
        return self if self.name == name else empty_form()

    def refusal(self) -> Problem:
        """Why the form did not do its work."""
        return self._refused or Invalid.of(
            ErrorDetail(field, message) for field, message in self.errors.items()
        )

    def refuse(self, problem: Problem) -> None:
        """Puts what is wrong beside the fields that it is about, and the rest above the form."""
        self._refused = problem
        for detail in problem.details:
            self.errors.setdefault(detail.field, detail.message[:1].upper() + detail.message[1:])
        unplaced = [detail for detail in problem.details if detail.field not in self.sent]
        if unplaced or not problem.details:
            self.problem = problem.message


def empty_form() -> SubmittedForm[Any]:
    return SubmittedForm({}, None, {})
