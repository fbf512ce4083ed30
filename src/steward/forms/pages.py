"""Forms in the web app: the list, and the builder with its preview."""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.forms import actions, queries, rules
from steward.forms import cells as form_cells
from steward.forms.model import (
    READS,
    FieldType,
    Form,
    FormChanges,
    FormField,
    FormQuery,
    FormStatus,
    FormVersion,
    NewForm,
)
from steward.kit.domain.fields import Body, Name, Text
from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.domain.shared_fields import made_from
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import Move
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.form_rows import sent_rows
from steward.kit.web.list_filters import Choice, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves

PATH = "/app/forms"
_BLANK_ROWS = 3
_VERSIONS = 20
_INDEX = re.compile(r"^fields\[(\d+)\]\.")
# The possible parts of a question.
_LIMITS = {
    "key": "letters, digits, - and _ only",
    "options": "at most 200 options of at most 200 characters",
    "min": "not such a large number",
    "max": "not such a large number",
    "label": "at most 2000 characters",
}
_LABELS = {
    FieldType.TEXT: "Short text",
    FieldType.LONG_TEXT: "Long text",
    FieldType.NUMBER: "Number",
    FieldType.DATE: "Date",
    FieldType.SELECT: "One of several",
    FieldType.MULTI_SELECT: "Several of several",
    FieldType.PASS_FAIL: "Pass or fail",
    FieldType.RATING: "Rating",
    FieldType.INSTRUCTION: "Instruction (no answer)",
}

LIST = ListPage(
    path=PATH,
    title="Forms",
    listing=queries.LISTING,
    record=Form,
    query=FormQuery,
    narrow_listing=queries.PUBLISHED_LISTING,
    permission=READS,
    write_permission=Permission.FORMS_WRITE,
    new="New form",
    search="Search forms",
    tabs="status",
    columns=(
        Column("name", "Name", cells.link, sort="name"),
        Column("status", "Status", cells.status),
        Column("version", "Version", cells.number),
        Column("updated", "Changed", cells.when, sort="updated"),
        Column("id", "Actions", form_cells.actions, is_control=True, css="action"),
    ),
    filters=(Choice(name="status", title="Status", options=choices(FormStatus)),),
    empty=EmptyState("No forms yet", "Build the first checklist, round or inspection with “New form”."),
)


class FieldRow(Body, frozen=True):
    """A question as the builder sends it: options are lines of a text, and a missing key is generated."""

    label: Text | None = None
    type: FieldType = FieldType.TEXT
    key: Annotated[str, Meta(max_length=60)] | None = None
    required: bool = False
    options: Text | None = None
    min: float | None = None
    max: float | None = None


class FormForm(Body, frozen=True):
    name: Name
    description: Text | None = None
    fields: Annotated[list[FieldRow], Meta(max_length=200)] = []

    def questions(self) -> list[FormField]:
        return check_rows(self.fields)


def questions(rows: list[FieldRow]) -> list[FormField]:
    """Rows without a label are unused."""
    found, keys = [], {row.key for row in rows if row.key}
    for at, row in enumerate(rows):
        if row.label is None:
            continue
        key = row.key or rules.key_for(row.label, keys)
        keys.add(key)
        lines = [line.strip() for line in (row.options or "").splitlines() if line.strip()]
        content = {
            "key": key,
            "label": row.label,
            "type": row.type,
            "required": row.required and row.type != FieldType.INSTRUCTION,
            "options": lines if row.type in rules.WITH_OPTIONS else None,
            **({"min": _number(row.min), "max": _number(row.max)} if row.type in rules.WITH_BOUNDS else {}),
        }
        try:
            found.append(msgspec.convert(content, FormField))
        except msgspec.ValidationError as error:
            wrong = next((name for name in _LIMITS if f"`$.{name}" in str(error)), "label")
            raise Invalid.of([ErrorDetail(f"fields.{at}.{wrong}", _LIMITS[wrong])]) from None
    return found


def check_rows(rows: list[FieldRow]) -> list[FormField]:
    """The questions, or all their faults by row."""
    found = questions(rows)
    places = [at for at, row in enumerate(rows) if row.label is not None]
    details = [
        ErrorDetail(
            _INDEX.sub(lambda index: f"fields.{places[int(index[1])]}.", detail.field), detail.message
        )
        for detail in rules.problems_of(found)
    ]
    if details:
        raise Invalid.of(details)
    return found


def _number(value: float | None) -> float | None:
    return int(value) if value is not None and value.is_integer() else value


async def _create(ctx: Context, form: FormForm) -> Form:
    return await actions.create(ctx, made_from(NewForm, form, fields=form.questions()))


async def _change(ctx: Target, form: FormForm) -> Form:
    return await actions.change(ctx, made_from(FormChanges, form, fields=form.questions()))


class FormBuilder(msgspec.Struct, frozen=True, kw_only=True):
    # None for a new one.
    record: Form | None = None
    rows: list[Any]
    fields: list[FormField] = []
    may_write: bool
    moves: list[Move[Form, Any]] = []
    versions: list[FormVersion] = []
    types: tuple[tuple[FieldType, str], ...] = tuple(_LABELS.items())


class FormPreview(msgspec.Struct, frozen=True):
    fields: list[FormField]
    problem: str | None


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    page = FormBuilder(rows=_rows(request, []), may_write=request.may(Permission.FORMS_WRITE))
    return View("forms/build.html", page, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    own = request.caller.own_records_only(READS)
    table = queries.FORMS if own is None else queries.PUBLISHED
    form = await request.get(table, "formId", own=own)
    writes = Permission.FORMS_WRITE
    page = FormBuilder(
        record=form,
        rows=_rows(request, form.fields),
        fields=form.fields,
        may_write=request.may(writes) and form.status != FormStatus.ARCHIVED,
        moves=allowed_moves(request, rules.MOVES, form.status, {"publish": writes, "archive": writes}),
        versions=[] if own else await queries.versions(request.db, request.tenant, form.id, _VERSIONS),
    )
    return View("forms/build.html", page, status)


def _rows(request: PageRequest[Any, Any], fields: list[FormField]) -> list[Any]:
    sent = sent_rows(request.form, "fields")
    rows: list[Any] = [_row(field) for field in fields] if sent is None else list(map(_as_sent, sent))
    return rows + [FieldRow()] * _BLANK_ROWS


def _row(field: FormField) -> FieldRow:
    return made_from(FieldRow, field, options="\n".join(field.options or []))


def _as_sent(row: dict[str, str]) -> dict[str, Any]:
    """The submitted value, valid or not."""
    blank = {"label": "", "type": FieldType.TEXT, "key": "", "options": "", "min": None, "max": None}
    return {**blank, **row, "required": "required" in row}


def _in_words(detail: ErrorDetail) -> str:
    """`fields.2.options` is the form's name for it; people count from one."""
    _, _, rest = detail.field.partition(".")
    at, _, name = rest.partition(".")
    return f"Question {int(at) + 1}, {name}: {detail.message}"


async def preview(request: PageRequest[FormForm, Any]) -> View:
    """The preview of the form, and its faults."""
    content, fields, problem = request.form.content, [], None
    if content is None:
        problem = "Fill in a name, and a label for each question."
    else:
        try:
            fields = questions(content.fields)
            check_rows(content.fields)
        except Invalid as found:
            problem = _in_words(found.details[0])
    return View("forms/preview.html", FormPreview(fields, problem))


RECORD = RecordPages.of(LIST, "formId", show_one, show_new)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    *RECORD.pages(_create, FormForm, _change, FormForm, actions.delete),
    WebPage("POST", f"{PATH}/preview", preview, Permission.FORMS_WRITE, form=FormForm),
    RECORD.move("publish", actions.publish),
    RECORD.move("archive", actions.archive),
)
