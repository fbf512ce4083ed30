"""Forms in every state, and what was answered. Pure."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.demo.past import DAY, HOUR, IdAt, dated, day_start, drawn, local_date
from steward.forms import rules
from steward.forms.model import FieldType, Form, FormField, FormStatus, FormVersion, NewForm
from steward.forms.submissions.model import NewSubmission, Submission
from steward.forms.submissions.rules import new_submission
from steward.kit.records.moves import MoveDetails

_PASS_FAIL, _NUMBER, _TEXT, _LONG = FieldType.PASS_FAIL, FieldType.NUMBER, FieldType.TEXT, FieldType.LONG_TEXT
_REMARK = FormField(key="remark", label="Anything else?", type=_LONG)

_FORMS: tuple[tuple[str, str, FormStatus, int, list[FormField]], ...] = (
    ("Fire exit round", "Every Monday, in every building.", FormStatus.PUBLISHED, 7, [
        FormField(key="how", label="Walk every escape route to its end, also where it is dark.", type=FieldType.INSTRUCTION),
        FormField(key="exit", label="The exit is clear", type=_PASS_FAIL, required=True),
        FormField(key="signs", label="All signs are lit", type=_PASS_FAIL, required=True),
        FormField(key="extinguishers", label="Extinguishers in place", type=_NUMBER, min=0, max=40),
        _REMARK,
    ]),
    ("Restroom round", "Twice a week.", FormStatus.PUBLISHED, 3, [
        FormField(key="clean", label="How clean is it?", type=FieldType.RATING, required=True, min=1, max=5),
        FormField(key="missing", label="What is missing?", type=FieldType.MULTI_SELECT, options=["Soap", "Towels", "Paper"]),
        _REMARK,
    ]),
    ("Lift inspection", "Monthly, by the person in charge.", FormStatus.PUBLISHED, 28, [
        FormField(key="lift", label="Which lift?", type=FieldType.SELECT, required=True, options=["Lift A", "Lift B", "Goods lift", "Lift, car park"]),
        FormField(key="call", label="Emergency call is answered", type=_PASS_FAIL, required=True),
        FormField(key="seconds", label="Seconds until the answer", type=_NUMBER, min=0, max=600),
        FormField(key="next", label="Next inspection", type=FieldType.DATE),
    ]),
    ("Contractor induction", "Not yet agreed with the works council.", FormStatus.DRAFT, 0, [
        FormField(key="company", label="Company", type=_TEXT, required=True),
        FormField(key="understood", label="Has been told about alarms and assembly points", type=_PASS_FAIL, required=True),
    ]),
    ("Canteen survey", "Spring, anonymous.", FormStatus.ARCHIVED, 2, [
        FormField(key="taste", label="How did it taste?", type=FieldType.RATING, required=True, min=1, max=5),
        _REMARK,
    ]),
)  # fmt: skip
_MONTHS_BACK = 180


class Inspections(msgspec.Struct):
    forms: list[Form]
    versions: list[FormVersion]
    submissions: list[Submission]


def inspections(
    people: Sequence[str], places: Sequence[str], publisher: str, *, id_at: IdAt, now: int
) -> Inspections:
    made = Inspections([], [], [])
    begin = now - (_MONTHS_BACK + 20) * DAY
    for index, (name, description, status, every_days, fields) in enumerate(_FORMS):
        created = begin + index * DAY
        form = rules.new_form(NewForm(name=name, description=description, fields=fields), created)
        form = dated(form, "frm", id_at, created)
        if status is not FormStatus.DRAFT:
            published = created + 2 * DAY
            form = replace(rules.MOVES.apply(form, "publish", MoveDetails(published)), updated=published)
            made.versions.append(rules.new_version(form, publisher))
        if every_days:
            made.submissions += _submissions(form, every_days, people, places, id_at, now)
        if status is FormStatus.ARCHIVED:
            archived = now - 60 * DAY
            form = replace(rules.MOVES.apply(form, "archive", MoveDetails(archived)), updated=archived)
        made.forms.append(form)
    made.submissions.sort(key=lambda submission: submission.id)
    return made


def _submissions(
    form: Form, every_days: int, people: Sequence[str], places: Sequence[str], id_at: IdAt, now: int
) -> Iterator[Submission]:
    today = local_date(now)
    last = 60 if form.name == "Canteen survey" else 0
    for ago in range(_MONTHS_BACK - 10, last, -every_days):
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
        _PASS_FAIL: random.choices(("Pass", "Fail", "NA"), (92, 6, 2))[0],
        FieldType.RATING: random.choice((3, 4, 4, 5, 5)),
        FieldType.DATE: (day + dt.timedelta(days=28)).isoformat(),
        _NUMBER: random.randint(4, 30),
        _LONG: random.choice(("Nothing else.", "One lamp flickers.", "Boxes in the corridor, taken away.")),
    }
    for field in fields:
        if field.type in made:
            yield field.key, made[field.type]
        elif field.type is FieldType.SELECT:
            yield field.key, random.choice(field.options or [])
        elif field.type is FieldType.MULTI_SELECT:
            yield field.key, random.sample(field.options or [], random.choice((0, 0, 1, 2)))
