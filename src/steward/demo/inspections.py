"""Forms in every state, and what was answered. Pure."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from steward.demo.fixed_rows import document
from steward.demo.past import DAY, HOUR, IdAt, dated, day_start, drawn, local_date, moved
from steward.forms import rules
from steward.forms.model import FieldType, Form, FormField, FormStatus, FormVersion, NewForm
from steward.forms.submissions.model import NewSubmission, Submission
from steward.forms.submissions.rules import new_submission
from steward.kit.records.moves import MoveDetails

_DAYS_BACK = 180


class _FormRow(msgspec.Struct, frozen=True):
    name: str
    description: str
    status: FormStatus
    # How often somebody fills it in; 0 for never.
    every_days: int
    fields: list[FormField]


class Inspections(msgspec.Struct):
    forms: list[Form]
    versions: list[FormVersion]
    submissions: list[Submission]


def inspections(
    people: Sequence[str], places: Sequence[str], publisher: str, *, id_at: IdAt, now: int
) -> Inspections:
    made = Inspections([], [], [])
    begin = now - (_DAYS_BACK + 20) * DAY
    for index, row in enumerate(document("forms", list[_FormRow])):
        created = begin + index * DAY
        new = NewForm(name=row.name, description=row.description, fields=row.fields)
        form = dated(rules.new_form(new, created), "frm", id_at, created)
        if row.status is not FormStatus.DRAFT:
            form = moved(rules.MOVES, form, "publish", MoveDetails(created + 2 * DAY))
            made.versions.append(rules.new_version(form, publisher))
        if row.every_days:
            made.submissions += _submissions(form, row.every_days, people, places, id_at, now)
        if row.status is FormStatus.ARCHIVED:
            form = moved(rules.MOVES, form, "archive", MoveDetails(now - 60 * DAY))
        made.forms.append(form)
    made.submissions.sort(key=lambda submission: submission.id)
    return made


def _submissions(
    form: Form, every_days: int, people: Sequence[str], places: Sequence[str], id_at: IdAt, now: int
) -> Iterator[Submission]:
    today = local_date(now)
    last = 60 if form.name == "Canteen survey" else 0
    for ago in range(_DAYS_BACK - 10, last, -every_days):
        day = today - dt.timedelta(days=ago)
        random = drawn("form", form.name, day.isoformat())
        at = day_start(day) + random.randint(8 * HOUR, 15 * HOUR)
        new = NewSubmission(
            answers=dict(_answers(form.fields, random, day)), location_id=random.choice(places)
        )
        submission = new_submission(form.id, form.version, form.fields, new, random.choice(people), at)
        yield dated(submission, "fsb", id_at, at)


def _answers(fields: Sequence[FormField], random: Random, day: dt.date) -> Iterator[tuple[str, Any]]:
    made: Mapping[FieldType, Any] = {
        FieldType.PASS_FAIL: random.choices(("Pass", "Fail", "NA"), (92, 6, 2))[0],
        FieldType.RATING: random.choice((3, 4, 4, 5, 5)),
        FieldType.DATE: (day + dt.timedelta(days=28)).isoformat(),
        FieldType.NUMBER: random.randint(4, 30),
        FieldType.LONG_TEXT: random.choice(
            ("Nothing else.", "One lamp flickers.", "Boxes in the corridor, taken away.")
        ),
    }
    for field in fields:
        if field.type in made:
            yield field.key, made[field.type]
        elif field.type is FieldType.SELECT:
            yield field.key, random.choice(field.options or [])
        elif field.type is FieldType.MULTI_SELECT:
            yield field.key, random.sample(field.options or [], random.choice((0, 0, 1, 2)))
