"""What a form may ask, and its moves: pure functions from the old form to the new one, or a Problem."""

import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from steward.forms.events import ARCHIVED, PUBLISHED
from steward.forms.model import (
    MAX_NUMBER,
    FieldType,
    Form,
    FormChanges,
    FormField,
    FormStatus,
    FormVersion,
    NewForm,
)
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, ErrorDetail, refuse_faults, repeated
from steward.kit.records.moves import Move, MoveDetails, Moves

WITH_OPTIONS = (FieldType.SELECT, FieldType.MULTI_SELECT)

WITH_BOUNDS = (FieldType.NUMBER, FieldType.RATING)

# Where a field sets no bounds of its own.
_DEFAULT_BOUNDS = {FieldType.NUMBER: (-MAX_NUMBER, MAX_NUMBER), FieldType.RATING: (1, 5)}


def published(form: Form, _details: MoveDetails) -> Form:
    if all(field.type == FieldType.INSTRUCTION for field in form.fields):
        raise Conflict("A form that asks nothing can't be published; give it a field that takes an answer.")
    return replace(form, version=form.version + 1)


_OPEN = (FormStatus.DRAFT, FormStatus.PUBLISHED)
MOVES: Moves[Form, MoveDetails] = Moves(
    "form",
    [
        Move("publish", _OPEN, FormStatus.PUBLISHED, PUBLISHED, then=published),
        Move("archive", _OPEN, FormStatus.ARCHIVED, ARCHIVED),
    ],
)


def key_for(label: str, taken: Collection[str]) -> str:
    """A unique key from the words of a question."""
    words = re.findall(r"[a-z0-9]+", label.lower()) or ["field"]
    key = "_".join(words)[:50]
    if key not in taken:
        return key
    return next(f"{key}_{number}" for number in itertools.count(2) if f"{key}_{number}" not in taken)


def new_form(new: NewForm, now: int) -> Form:
    refuse_faults(problems_of(new.fields))
    return Form(new_id("frm"), new.name, new.description, FormStatus.DRAFT, 0, new.fields, now, now)


def changed(form: Form, changes: FormChanges) -> Form:
    """Changed fields are the draft of the next version; the published one stays."""
    if form.status == FormStatus.ARCHIVED:
        raise Conflict("A form that is Archived can't be changed.")
    draft = apply(form, changes)
    refuse_faults(problems_of(draft.fields))
    return draft


def require_open(status: FormStatus) -> None:
    """Whether people can answer a form of this status."""
    if status == FormStatus.DRAFT:
        raise Conflict("A form that is Draft takes no submissions; publish it first.")
    if status == FormStatus.ARCHIVED:
        raise Conflict("A form that is Archived takes no submissions.")


def new_version(form: Form, by: str | None) -> FormVersion:
    """The questions of a newly published version, which never change."""
    return FormVersion(form.id, form.version, form.fields, by, form.updated)


def bounds(field: FormField) -> tuple[float, float]:
    """The least and the greatest answer of a number or a rating."""
    low, high = _DEFAULT_BOUNDS[field.type]
    return low if field.min is None else field.min, high if field.max is None else field.max


def problems_of(fields: Sequence[FormField]) -> list[ErrorDetail]:
    found = []
    again = set(repeated(field.key for field in fields))
    for index, field in enumerate(fields):
        if index in again:
            found.append(
                ErrorDetail(f"fields[{index}].key", f"{field.key} is the key of another field already")
            )
        found += [ErrorDetail(f"fields[{index}].{name}", message) for name, message in _problems(field)]
    return found


def _problems(field: FormField) -> Iterator[tuple[str, str]]:
    if field.required and field.type == FieldType.INSTRUCTION:
        yield "required", "an instruction takes no answer"
    yield from _problems_of_options(field)
    yield from _problems_of_bounds(field)


def _problems_of_options(field: FormField) -> Iterator[tuple[str, str]]:
    if field.type not in WITH_OPTIONS:
        if field.options is not None:
            yield "options", f"belongs to select and multiSelect, not to {field.type}"
    elif not field.options:
        yield "options", f"is required for {field.type}"
    elif len(set(field.options)) != len(field.options):
        yield "options", "names an option twice"


def _problems_of_bounds(field: FormField) -> Iterator[tuple[str, str]]:
    given = {name: value for name in ("min", "max") if (value := getattr(field, name)) is not None}
    if field.type not in _DEFAULT_BOUNDS:
        yield from ((name, f"belongs to number and rating, not to {field.type}") for name in given)
        return
    if field.type == FieldType.RATING:
        broken = [name for name, value in given.items() if not isinstance(value, int)]
        if broken:
            yield from ((name, "must be a whole number for a rating") for name in broken)
            return
    low, high = bounds(field)
    if low > high:
        yield ("max" if "max" in given else "min"), f"leaves no answer between {low} and {high}"
