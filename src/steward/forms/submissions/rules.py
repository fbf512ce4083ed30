"""Whether answers fit the questions of a form; all faults are reported at once, by field."""

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steward.forms.model import FieldType, FormField
from steward.forms.rules import WITH_BOUNDS, bounds
from steward.forms.submissions.model import NewSubmission, Submission
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import ErrorDetail, refuse_faults

MAX_LENGTHS = {FieldType.TEXT: 1_000, FieldType.LONG_TEXT: 10_000}
PASS_FAIL = ("Pass", "Fail", "NA")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def new_submission(
    form_id: str, version: int, fields: Sequence[FormField], new: NewSubmission, by: str | None, now: int
) -> Submission:
    """`fields` are the questions of this version of the form."""
    refuse_faults(check_answers(fields, new.answers))
    return Submission(new_id("fsb"), form_id, version, new.answers, new.location_id, by, now)


def answers_of(fields: Sequence[FormField], sent: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Answers from a browser, which sends only texts: `answers.pressure` → `pressure`."""
    answers = {}
    for field in fields:
        given = [value for value in sent.get(f"answers.{field.key}", ()) if value.strip()]
        if given:
            answers[field.key] = given if field.type == FieldType.MULTI_SELECT else _typed(field, given[-1])
    return answers


def _typed(field: FormField, text: str) -> Any:
    """A text that is no number stays a text, so that the answer can name it."""
    if field.type not in WITH_BOUNDS:
        return text
    try:
        return int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            return text
    return number if math.isfinite(number) else text


def check_answers(fields: Sequence[FormField], answers: Mapping[str, Any]) -> list[ErrorDetail]:
    keys = {field.key for field in fields}
    found = [(key, "is not a field of this form") for key in answers if key not in keys]
    found += [
        (field.key, message)
        for field in fields
        if (message := _problem(field, answers.get(field.key))) is not None
    ]
    return [ErrorDetail(f"answers.{key}", message) for key, message in found]


def _problem(field: FormField, answer: Any) -> str | None:
    if answer is None or (field.required and _blank(field.type, answer)):
        return "is required" if field.required else None
    return _CHECKS[field.type](field, answer)


def _blank(kind: FieldType, answer: Any) -> bool:
    """What an unanswered field contains."""
    if kind in MAX_LENGTHS:
        return isinstance(answer, str) and not answer.strip()
    return kind == FieldType.MULTI_SELECT and answer == []


def _text(field: FormField, answer: Any) -> str | None:
    if not isinstance(answer, str):
        return "must be a text"
    max_length = MAX_LENGTHS[field.type]
    return f"must have at most {max_length} characters" if len(answer) > max_length else None


def _number(field: FormField, answer: Any) -> str | None:
    """A rating is a whole one."""
    whole = field.type == FieldType.RATING
    if isinstance(answer, bool) or not isinstance(answer, int if whole else int | float):
        return "must be a whole number" if whole else "must be a number"
    low, high = bounds(field)
    return None if low <= answer <= high else f"must be from {low} to {high}"


def _date(_field: FormField, answer: Any) -> str | None:
    wrong = "must be a date like 2026-01-31"
    if not isinstance(answer, str) or not _DATE.fullmatch(answer):
        return wrong
    try:
        dt.date.fromisoformat(answer)
    except ValueError:
        return wrong
    return None


def _multi_select(field: FormField, answer: Any) -> str | None:
    if not isinstance(answer, list):
        return "must be a list of options"
    options = field.options or []
    # A list may be as long as a request; one with more entries than options has an invalid or repeated one.
    checked = answer[: len(options) + 1]
    known = set(options)
    if not all(isinstance(one, str) and one in known for one in checked):
        return _among(options, None)
    return "names an option twice" if len(set(checked)) != len(checked) else None


def _among(options: Sequence[str], answer: Any) -> str | None:
    return None if answer in options else f"must be one of {', '.join(options)}"


_CHECKS: dict[FieldType, Callable[[FormField, Any], str | None]] = {
    FieldType.TEXT: _text,
    FieldType.LONG_TEXT: _text,
    FieldType.NUMBER: _number,
    FieldType.DATE: _date,
    FieldType.SELECT: lambda field, answer: _among(field.options or [], answer),
    FieldType.MULTI_SELECT: _multi_select,
    FieldType.PASS_FAIL: lambda _field, answer: _among(PASS_FAIL, answer),
    FieldType.RATING: _number,
    FieldType.INSTRUCTION: lambda _field, _answer: "is an instruction and takes no answer",
}
