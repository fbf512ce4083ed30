"""Filling in a form, on a phone as well; and the answers."""

from functools import partial
from typing import Any

import msgspec

from steward.forms import queries as forms
from steward.forms.model import FieldType, Form, FormField
from steward.forms.pages import PATH
from steward.forms.rules import require_open
from steward.forms.submissions import actions, queries, rules
from steward.forms.submissions.model import READS, SUBMITS, NewSubmission, Submission, SubmissionQuery
from steward.kit.domain.fields import Body, Identifier
from steward.kit.http.export import CSV, export_rows
from steward.kit.http.response import StreamingResponse
from steward.kit.web.page import ListPart, PageRequest, Picked, Redirect, View, WebPage
from steward.kit.web.record_pages import HOME
from steward.kit.web.submit import submit
from steward.locations import queries as locations
from steward.users import queries as users

_FILL = f"{PATH}/{{formId}}/fill"
_LIST = f"{PATH}/{{formId}}/submissions"


class FillForm(Body, frozen=True):
    """The answers are decoded by the form's questions; these fields are the same for every form."""

    location_id: Identifier | None = None


class FillPage(msgspec.Struct, frozen=True):
    record: Form
    fields: list[FormField]
    location: Picked


class SubmissionsPage(msgspec.Struct, frozen=True, kw_only=True):
    record: Form
    fields: list[FormField]
    submissions: ListPart[Submission]
    people: dict[str, str]
    places: dict[str, str]


class SubmissionPage(msgspec.Struct, frozen=True, kw_only=True):
    record: Form
    submission: Submission
    fields: list[FormField]
    submitter: str | None
    location_name: str | None


async def _form(request: PageRequest[Any, Any]) -> Form:
    """404 also for a draft that was never published, for people who only fill in forms."""
    form = await request.get(forms.FORMS, "formId")
    if not form.version and request.caller.own_records_only(READS) is not None:
        raise forms.FORMS.missing()
    return form


async def _fields(request: PageRequest[Any, Any], form: Form, number: int) -> list[FormField]:
    """The questions of a version."""
    version = await forms.get_version(request.db, request.tenant, form.id, number)
    return version.fields if version else []


async def _asked(request: PageRequest[Any, Any]) -> tuple[Form, list[FormField]]:
    """A form and the questions of its published version."""
    form = await _form(request)
    require_open(form.status)
    return form, await _fields(request, form, form.version)


async def show_fill(request: PageRequest[Any, Any], status: int = 200) -> View:
    form, fields = await _asked(request)
    place = await request.picked(locations.LOOKUP, "locationId")
    return View("forms/fill.html", FillPage(form, fields, place), status)


async def fill(request: PageRequest[FillForm, Any]) -> View | Redirect:
    _, fields = await _asked(request)
    answers = rules.answers_of(fields, request.form.sent)

    async def store(content: FillForm) -> Submission:
        new = NewSubmission(answers=answers, location_id=content.location_id)
        return await actions.create(request.context.inside(request.params["formId"]), new)

    def done(made: Submission) -> Redirect:
        sent = f"{PATH}/{made.form_id}/submissions/{made.id}?sent=yes"
        return Redirect(sent if request.may(READS) else HOME)

    return await submit(request, store, to=done, again=partial(show_fill, request), name="fill")


async def show_list(request: PageRequest[Any, SubmissionQuery]) -> View:
    form = await _form(request)
    own = request.caller.own_records_only(READS)
    found = await request.part(queries.LISTING, Submission, request.query, within=form.id, own=own)
    newest = await _fields(request, form, form.version)
    page = SubmissionsPage(
        record=form,
        fields=[field for field in newest if field.type != FieldType.INSTRUCTION],
        submissions=found,
        people=await request.names(users.LOOKUP, (row.submitted_by for row in found.rows)),
        places=await request.names(locations.LOOKUP, (row.location_id for row in found.rows)),
    )
    return View("forms/submissions.html", page)


async def export(request: PageRequest[Any, Any]) -> StreamingResponse:
    form = await _form(request)
    own = request.caller.own_records_only(READS)
    filters = queries.LISTING.filters(SubmissionQuery(), form.id, own)
    return await export_rows(
        queries.LISTING, CSV, request.db, request.tenant, filters, own=own, file_name="submissions.csv"
    )


async def show_one(request: PageRequest[Any, Any]) -> View:
    form, own = await _form(request), request.caller.own_records_only(READS)
    submission = await request.get(queries.SUBMISSIONS, "submissionId", within="formId", own=own)
    page = SubmissionPage(
        record=form,
        submission=submission,
        fields=await _fields(request, form, submission.version),
        submitter=await request.name(users.LOOKUP, submission.submitted_by),
        location_name=await request.name(locations.LOOKUP, submission.location_id),
    )
    return View("forms/submission.html", page)


PAGES: tuple[WebPage, ...] = (
    WebPage("GET", _FILL, show_fill, SUBMITS),
    WebPage("POST", _FILL, fill, SUBMITS, form=FillForm),
    WebPage("GET", _LIST, show_list, READS, query=SubmissionQuery),
    WebPage("GET", f"{_LIST}.csv", export, READS, from_replica=True),
    WebPage("GET", f"{_LIST}/{{submissionId}}", show_one, READS),
)
