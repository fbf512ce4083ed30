"""What a form may ask: kinds of fields, and the rules for defining them."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.kit.domain.fields import Body
from steward.kit.domain.problems import Detail, Invalid


class FieldType(StrEnum):
    TEXT = "text"
    LONG_TEXT = "longText"
    NUMBER = "number"
    DATE = "date"
    SELECT = "select"
    MULTI_SELECT = "multiSelect"
    PASS_FAIL = "passFail"  # noqa: S105 (an inspection's word)
    RATING = "rating"
    INSTRUCTION = "instruction"


SELECTING = (FieldType.SELECT, FieldType.MULTI_SELECT)

# Beyond this a number would not come back from the database as it was sent.
MAX_NUMBER = 10**15

# Where a field sets no bounds of its own.
_DEFAULT_BOUNDS = {FieldType.NUMBER: (-MAX_NUMBER, MAX_NUMBER), FieldType.RATING: (1, 5)}

Key = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9_-]+$", examples=["pressure"])]
Label = Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]
Option = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Bound = (
    Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
    | Annotated[float, Meta(ge=-float(MAX_NUMBER), le=float(MAX_NUMBER))]
)


class FormField(Body, frozen=True):
    """One question, or a text between questions (`instruction`)."""

    key: Annotated[Key, Meta(description="Unique within the form; names the answer.")]
    label: Label
    type: FieldType
    required: bool = False
    options: Annotated[
        Annotated[list[Option], Meta(max_length=200)] | None, Meta(description="For select and multiSelect.")
    ] = None
    min: Annotated[Bound | None, Meta(description="For number and rating.")] = None
    max: Annotated[Bound | None, Meta(description="For number and rating.")] = None


def bounds(field: FormField) -> tuple[float, float]:
    """The least and the greatest answer of a number or a rating."""
    low, high = _DEFAULT_BOUNDS[field.type]
    return low if field.min is None else field.min, high if field.max is None else field.max


def check_fields(fields: Sequence[FormField]) -> None:
    """422 with everything that is wrong with a definition."""
    details = problems_of(fields)
    if details:
        raise Invalid.of(details)


def problems_of(fields: Sequence[FormField]) -> list[Detail]:
    found = []
    keys: set[str] = set()
    for index, field in enumerate(fields):
        if field.key in keys:
            found.append(Detail(f"fields[{index}].key", f"{field.key} is the key of another field already"))
        keys.add(field.key)
        found += [Detail(f"fields[{index}].{name}", message) for name, message in _problems(field)]
    return found


def _problems(field: FormField) -> Iterator[tuple[str, str]]:
    if field.required and field.type == FieldType.INSTRUCTION:
        yield "required", "an instruction takes no answer"
    yield from _problems_of_options(field)
    yield from _problems_of_bounds(field)


def _problems_of_options(field: FormField) -> Iterator[tuple[str, str]]:
    if field.type not in SELECTING:
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
