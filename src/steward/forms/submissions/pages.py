"""Filling in a form, on a phone as well; and the answers."""

from functools import partial
from typing import Any

import msgspec

from steward.forms import queries as forms
from steward.forms.model import Form, FormField
from steward.forms.pages import PATH
from steward.forms.rules import require_open
from steward.forms.submissions import actions, queries, rules
from steward.forms.submissions.model import READS, SUBMITS, NewSubmission, Submission, SubmissionQuery
from steward.kit.domain.fields import Body, Identifier
from steward.kit.http.export import CSV, export_rows
from steward.kit.http.response import StreamingResponse
from steward.kit.records import records
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import HOME
from steward.kit.web.submit import submit
from steward.locations import queries as locations
from steward.users import queries as users

_FILL = f"{PATH}/{{formId}}/fill"
_LIST = f"{PATH}/{{formId}}/submissions"


class FillForm(Body, frozen=True):
    """The answers are decoded by the form's questions; these fields are the same for every form."""

    location_id: Identifier | None = None


async def _form(request: PageRequest[Any, Any]) -> Form:
    """404 also for a draft that was never published, for people who only fill in forms."""
    form = await records.get(request.db, forms.FORMS, request.caller.tenant, request.params["formId"])
    if not form.version and request.caller.own_records_only(READS) is not None:
        raise forms.FORMS.missing()
    return form


async def _asked(request: PageRequest[Any, Any]) -> tuple[Form, list[FormField]]:
    """A form and the questions of its published version."""
    form = await _form(request)
    require_open(form.status)
    version = await forms.get_version(request.db, request.caller.tenant, form.id, form.version)
    return form, version.fields if version else []


async def show_fill(request: PageRequest[Any, Any], status: int = 200) -> View:
    form, fields = await _asked(request)
    place = request.form.value("locationId", request.arguments.get("locationId", ""))
    values = {
        "record": form,
        "fields": fields,
        "form": request.form,
        "location_id": place,
        "location_name": await locations.LOOKUP.name(request.db, request.caller.tenant, place),
    }
    return View("forms/fill.html", values, status)


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
    db, tenant = request.db, request.caller.tenant
    form = await _form(request)
    own = request.caller.own_records_only(READS)
    found = await queries.LISTING.page(db, request.cursors, tenant, request.query, parent_id=form.id, own=own)
    rows = [msgspec.json.decode(item, type=Submission) for item in found.items]
    newest = await forms.get_version(db, tenant, form.id, form.version)
    values = {
        "record": form,
        "fields": [f for f in (newest.fields if newest else []) if f.type != "instruction"],
        "rows": rows,
        "people": await users.LOOKUP.names(db, tenant, [row.submitted_by for row in rows]),
        "places": await locations.LOOKUP.names(db, tenant, [row.location_id for row in rows]),
        "next_page": found.last_evaluated_key,
        "first_page": request.query.last_evaluated_key is None,
        "own_only": own is not None,
    }
    return View("forms/submissions.html", values)


async def export(request: PageRequest[Any, Any]) -> StreamingResponse:
    form = await _form(request)
    own = request.caller.own_records_only(READS)
    filters = queries.LISTING.filters(SubmissionQuery(), form.id, own)
    return await export_rows(
        queries.LISTING, CSV, request.db, request.caller.tenant, filters, own=own, file_name="submissions.csv"
    )


async def show_one(request: PageRequest[Any, Any]) -> View:
    db, tenant = request.db, request.caller.tenant
    form = await _form(request)
    submission = await records.get(
        db,
        queries.SUBMISSIONS,
        tenant,
        request.params["submissionId"],
        within=form.id,
        own=request.caller.own_records_only(READS),
    )
    version = await forms.get_version(db, tenant, form.id, submission.version)
    values = {
        "record": form,
        "submission": submission,
        "fields": version.fields if version else [],
        "submitter": await users.LOOKUP.name(db, tenant, submission.submitted_by),
        "location_name": await locations.LOOKUP.name(db, tenant, submission.location_id),
        "sent": request.arguments.get("sent") == "yes",
    }
    return View("forms/submission.html", values)


PAGES: tuple[WebPage, ...] = (
    WebPage("GET", _FILL, show_fill, SUBMITS),
    WebPage("POST", _FILL, fill, SUBMITS, form=FillForm),
    WebPage("GET", _LIST, show_list, READS, query=SubmissionQuery),
    WebPage("GET", f"{_LIST}.csv", export, READS, from_replica=True),
    WebPage("GET", f"{_LIST}/{{submissionId}}", show_one, READS),
)
