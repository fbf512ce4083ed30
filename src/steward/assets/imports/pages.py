"""Assets from a CSV file: a dry run first, then the import, part by part where the browser can show how far it has come."""

from typing import Annotated, Any

from msgspec import Meta

from steward.asset_types import queries as asset_types
from steward.assets import actions
from steward.kit.domain.csv_rows import ImportReport
from steward.kit.domain.fields import Body
from steward.kit.domain.problems import Invalid
from steward.kit.http.server.exchange import MAXIMUM_BODY
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

PATH = "/app/assets/import"
_PART = 1000
_MAX_TYPES = 50
_SHOWN_ERRORS = 100
# The file comes back with each step, its lines ended by two characters, beside some fields and the marks between them.
_BESIDE = 4096

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]


class ImportFile(Body, frozen=True):
    file: Text


class ImportStep(Body, frozen=True):
    """`first` is the row to go on with, `total` what the dry run has counted."""

    file: Text
    first: Count = 0
    total: Count = 0


_NO_STEP = ImportStep(file="-")


async def show(request: PageRequest[Any, Any]) -> View:
    return await _form(request)


async def check(request: PageRequest[ImportFile, Any]) -> View:
    """The dry run: nothing is stored, and everything that is wrong is told at once."""
    form = request.form
    if form.content is None:
        return await _form(request, 422)
    text = form.content.file
    if (size := len(text.encode()) + text.count("\n") + _BESIDE) > MAXIMUM_BODY:
        form.errors["file"] = f"This file is {size // 1024} KB long; send it in parts of at most 1000 KB."
        return await _form(request, 422)
    try:
        report = await actions.import_assets(request.db, request.caller, text, dry_run=True, now=request.now)
    except Invalid as problem:
        form.errors["file"] = " ".join(f"{one.field} {one.message}".strip() for one in problem.details)
        return await _form(request, 422)
    return View("assets/import_checked.html", _checked(text, report), 422 if report.errors else 200)


async def run(request: PageRequest[ImportStep, Any]) -> View | Redirect:
    """All that is left in one go, or with `?part=yes` the next part, which asks for the one after it by itself."""
    count = _PART if "part" in request.arguments else None

    async def import_part(step: ImportStep) -> ImportReport:
        return await actions.import_assets(
            request.db,
            request.caller,
            step.file,
            dry_run=False,
            now=request.now,
            first=step.first,
            count=count,
        )

    def progress(step: ImportStep, created: int, status: int) -> View:
        done = step.first + created
        values = {
            "file": step.file,
            "done": done,
            "total": max(step.total, done),
            "finished": status == 200 and (count is None or created < count),
            "form": request.form,
        }
        fragments = {"import": "assets/import_step.html"}
        return View("assets/import_running.html", values, status, fragments=fragments)

    async def again(status: int) -> View:
        step = request.form.content
        return await _form(request, status) if step is None else progress(step, 0, status)

    return await submit(
        request,
        import_part,
        to=lambda report: progress(request.form.content or _NO_STEP, report.created, 200),
        again=again,
    )


def _checked(text: str, report: ImportReport) -> dict[str, Any]:
    wrong_lines = {error.line for error in report.errors}
    return {
        "file": text,
        "rows": report.rows,
        "wrong": len(wrong_lines),
        "errors": report.errors[:_SHOWN_ERRORS],
        "more_errors": max(0, len(report.errors) - _SHOWN_ERRORS),
    }


async def _form(request: PageRequest[Any, Any], status: int = 200) -> View:
    types = await asset_types.LOOKUP.find(request.db, request.caller.tenant, "", _MAX_TYPES)
    return View("assets/import.html", {"form": request.form, "types": types}, status)


_WRITE = Permission.ASSETS_WRITE
PAGES = (
    WebPage(method="GET", path=PATH, handler=show, permission=_WRITE),
    WebPage(method="POST", path=PATH, handler=check, permission=_WRITE, form=ImportFile, upload=True),
    WebPage(method="POST", path=f"{PATH}/run", handler=run, permission=_WRITE, form=ImportStep, upload=True),
)
